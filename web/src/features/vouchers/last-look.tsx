import type { VoucherFound } from '@/api/types.gen'
import { ConfirmDialog } from '@/components/form/confirm-dialog'
import { FullAddress } from '@/components/money/full-address'
import { useConfig } from '@/lib/session'
import { common } from '@/messages/common'
import { vouchers as texts } from '@/messages/vouchers'
import { checkAddress, defaultNetwork, sendingOf } from '../buy/address'
import { whatItPays, worthOf } from './queries'
import type { Redeeming } from './use-redeem'

/** As of an order: a transfer cannot be undone, so nothing is sent before the whole address was confirmed. */
export default function LastLook({ redeeming, voucher }: { redeeming: Redeeming; voucher: VoucherFound }) {
  const { cryptoType, walletAddress } = redeeming
  const address = walletAddress.trim()
  const sending = sendingOf(useConfig())
  const check = checkAddress(cryptoType, address, sending)
  const chosen = voucher.options.find((option) => option.cryptoType === cryptoType)
  return (
    <ConfirmDialog
      title={texts.confirmTitle}
      text={texts.confirmText(worthOf(voucher), cryptoType)}
      confirm={texts.confirm}
      working={texts.redeeming}
      keep={common.cancel}
      pending={redeeming.pending}
      error={undefined}
      onConfirm={redeeming.redeem}
      onClose={redeeming.edit}
    >
      {chosen ? <p className="mt-3 text-sm font-semibold">{whatItPays(voucher, chosen)}</p> : null}
      <FullAddress
        address={address}
        network={check.ok ? check.network : defaultNetwork(cryptoType, sending)}
      />
    </ConfirmDialog>
  )
}
