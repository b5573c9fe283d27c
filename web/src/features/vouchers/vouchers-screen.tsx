import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ticket } from 'lucide-react'
import type { RedeemedVoucher } from '@/api/types.gen'
import { RecordRow, RecordsPage } from '@/components/layout/page-records'
import { CryptoAmount, Pair, Pairs } from '@/components/money/money'
import { vouchers as texts } from '@/messages/vouchers'
import { HoldNotice } from '../orders/hold-notice'
import { voucherLooks } from './looks'
import { vouchersQuery, worthOf } from './queries'

export function VouchersScreen() {
  return (
    <RecordsPage
      query={useInfiniteQuery(vouchersQuery)}
      title={texts.title}
      lead={texts.lead}
      notice={<HoldNotice of="account" className="mb-4" />}
      failed={texts.fetchFailed}
      make={{ hash: 'voucher-redemption', title: texts.redeem }}
      empty={{ icon: Ticket, title: texts.empty, hint: texts.emptyHint }}
    >
      {(voucher) => <VoucherRow voucher={voucher} />}
    </RecordsPage>
  )
}

function VoucherRow({ voucher }: { voucher: RedeemedVoucher }) {
  return (
    <RecordRow
      heading={
        <Link to="/vouchers/$id" params={{ id: voucher.id }} className="rounded-sm hover:underline">
          {worthOf(voucher)}
        </Link>
      }
      of={voucher}
      look={voucherLooks[voucher.status]}
    >
      <Pairs>
        <Pair name={texts.pays} strong>
          <CryptoAmount amount={voucher.cryptoAmount} asset={voucher.cryptoType} />
        </Pair>
      </Pairs>
      {voucher.delayed ? <p className="mt-2 text-sm text-pending-text">{texts.delayedTitle}</p> : null}
    </RecordRow>
  )
}
