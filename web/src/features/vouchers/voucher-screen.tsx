import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Clock, Hourglass, Undo2 } from 'lucide-react'
import type { RedeemedVoucherDetail } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { RecordPage } from '@/components/layout/page-record'
import { CryptoAmount, Pair, Pairs, Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Story } from '@/components/status/story'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { networkNames } from '@/messages/common'
import { vouchers as texts, voucherStory } from '@/messages/vouchers'
import { HoldNotice } from '../orders/hold-notice'
import { HelpLink } from '../support/help-link'
import { voucherLooks } from './looks'
import { voucherQuery, worthOf } from './queries'

export function VoucherScreen({ id }: { id: string }) {
  return (
    <RecordPage
      query={useQuery(voucherQuery(id))}
      title={() => texts.one}
      status={(voucher) => <StatusBadge look={voucherLooks[voucher.status]} />}
      failed={texts.fetchFailed}
      notice={<HoldNotice of="account" className="mb-4" />}
      back={{ to: '/vouchers', title: texts.mine }}
    >
      {(voucher) => <Loaded voucher={voucher} />}
    </RecordPage>
  )
}

function Loaded({ voucher }: { voucher: RedeemedVoucherDetail }) {
  return (
    <div className="space-y-6">
      <Situation voucher={voucher} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Facts voucher={voucher} />
        <Card>
          <CardTitle className="mb-4">{texts.story}</CardTitle>
          <Story events={voucher.events} tell={(event) => voucherStory[event.kind]} />
        </Card>
      </div>
    </div>
  )
}

/** Where the crypto is, and what comes next. */
function Situation({ voucher }: { voucher: RedeemedVoucherDetail }) {
  if (voucher.status === 'sent')
    return (
      <Notice tone="success" icon={CircleCheck} role="status" title={texts.sentTitle}>
        {texts.sentText}
      </Notice>
    )
  if (voucher.events.some(({ kind }) => kind === 'voided'))
    return (
      <Notice tone="danger" icon={CircleAlert} role="status" title={texts.voidedTitle}>
        {texts.voidedText}
      </Notice>
    )
  if (voucher.status === 'restored')
    return (
      <Notice tone="pending" icon={Undo2} role="status" title={texts.restoredTitle}>
        {texts.restoredText}
      </Notice>
    )
  if (voucher.delayed)
    return (
      <Notice tone="pending" icon={Hourglass} role="status" title={texts.delayedTitle}>
        {texts.delayedText}
      </Notice>
    )
  return (
    <Notice tone="info" icon={Clock} role="status" title={texts.waitTitle}>
      {texts.waitText}
    </Notice>
  )
}

function Facts({ voucher }: { voucher: RedeemedVoucherDetail }) {
  return (
    <Card>
      <CardTitle className="mb-4">{worthOf(voucher)}</CardTitle>
      <Pairs>
        <Pair name={texts.reference}>
          <Copyable text={voucher.reference} what={texts.reference} />
        </Pair>
        <Pair name={texts.price}>
          <Usd amount={voucher.unitPrice} />
        </Pair>
        {voucher.marginPercent === '0' ? null : (
          <Pair name={texts.margin}>{texts.marginText(voucher.marginPercent)}</Pair>
        )}
        <Pair name={texts.on}>{networkNames[voucher.network] ?? voucher.network}</Pair>
        <Pair name={texts.sentTo}>
          <Copyable text={voucher.walletAddress} what={texts.wallet} />
        </Pair>
        {voucher.txid ? (
          <Pair name={texts.txid}>
            <Copyable text={voucher.txid} what={texts.txid} shown={`${voucher.txid.slice(0, 16)}…`} />
          </Pair>
        ) : null}
        <Pair name={texts.redeemedAt}>
          <Time at={voucher.createdAt} />
        </Pair>
        {voucher.sentAt ? (
          <Pair name={texts.sentAt}>
            <Time at={voucher.sentAt} />
          </Pair>
        ) : null}
        <Pair name={texts.pays} strong>
          <CryptoAmount amount={voucher.cryptoAmount} asset={voucher.cryptoType} />
        </Pair>
      </Pairs>
      <div className="mt-4 border-t pt-4">
        <HelpLink reference={voucher.reference} />
      </div>
    </Card>
  )
}
