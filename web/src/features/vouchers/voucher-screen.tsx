import { useQuery } from '@tanstack/react-query'
import { Link, notFound } from '@tanstack/react-router'
import { ArrowLeft, CircleCheck, Clock, Hourglass, Undo2 } from 'lucide-react'
import type { RedeemedVoucherDetail } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Page } from '@/components/layout/page'
import { CryptoAmount, Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { HttpError } from '@/lib/http'
import { networkNames } from '@/messages/common'
import { vouchers as texts, voucherStory } from '@/messages/vouchers'
import { voucherLooks } from './looks'
import { voucherQuery, worthOf } from './queries'

export function VoucherScreen({ id }: { id: string }) {
  const query = useQuery(voucherQuery(id))
  if (query.error instanceof HttpError && query.error.status === 404) throw notFound()
  const voucher = query.data
  return (
    <Page
      title={texts.one}
      lead={voucher?.reference}
      actions={
        <Link to="/vouchers" className={buttonVariants({ variant: 'outline' })}>
          <ArrowLeft aria-hidden />
          {texts.mine}
        </Link>
      }
    >
      {voucher ? <Loaded voucher={voucher} /> : null}
      {!voucher && query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
    </Page>
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
          <ol className="space-y-3">
            {voucher.events.map((event, index) => (
              <li
                key={event.id}
                aria-current={index === voucher.events.length - 1 ? 'step' : undefined}
                className="flex flex-wrap justify-between gap-x-4 text-sm"
              >
                <span>{voucherStory[event.kind]}</span>
                <span className="text-muted-foreground">
                  <Time at={event.at} />
                </span>
              </li>
            ))}
          </ol>
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
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <CardTitle>{worthOf(voucher)}</CardTitle>
        <StatusBadge look={voucherLooks[voucher.status]} />
      </div>
      <Pairs>
        <Pair name={texts.reference}>
          <Copyable text={voucher.reference} what={texts.reference} />
        </Pair>
        <Pair name={texts.pays} strong>
          <CryptoAmount amount={voucher.cryptoAmount} asset={voucher.cryptoType} />
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
      </Pairs>
    </Card>
  )
}
