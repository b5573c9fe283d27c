import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { AdminGiftCard } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Pair, Pairs, Stat, Usd } from '@/components/money/money'
import { Failed, LoadingRows } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { count, MISSING, usd } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { adminLegacy as texts } from '@/messages/admin-books'
import { adminStatsQuery } from '../dashboard/queries'
import type { CardAction } from '../gift-cards/gift-card-decision'
import { KeyedRows } from '../shared/list-frame'
import { vouchersSummaryQuery } from '../vouchers/queries'
import { VoucherGenerate } from '../vouchers/voucher-generate'
import { pendingCardsQuery } from './queries'

const GiftCardDecision = lazy(async () => ({
  default: (await import('../gift-cards/gift-card-decision')).GiftCardDecision,
}))

/** specification §2's older panel, on today's calls. */
export function LegacyScreen() {
  const mayGenerate = useSignedInUser().permissions.includes('configure')
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          <Link to="/" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
            <ArrowLeft aria-hidden />
            {texts.back}
          </Link>
        }
      />
      <Figures />
      <div className="mt-6 grid items-start gap-6 xl:grid-cols-2">
        <PendingReviews />
        <VoucherStatistics />
      </div>
      {mayGenerate ? <VoucherGenerate /> : null}
    </>
  )
}

function Figures() {
  const stats = useQuery(adminStatsQuery('month'))
  const { stats: names } = texts
  return (
    <>
      {stats.error ? (
        <Failed
          className="mb-4"
          title={texts.failed}
          error={stats.error}
          retry={() => void stats.refetch()}
        />
      ) : null}
      <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
        <Stat name={names.totalUsers}>{count(stats.data?.totalUsers)}</Stat>
        <Stat name={names.activeTrades}>{count(stats.data?.activeTrades)}</Stat>
        <Stat name={names.dailyVolume}>{usd(stats.data?.dailyVolume)}</Stat>
        <Stat name={names.pendingKyc}>{count(stats.data?.pendingKyc)}</Stat>
      </dl>
    </>
  )
}

/** The first gift cards that wait, each with the buttons its reader may press. */
function PendingReviews() {
  const cards = useQuery(pendingCardsQuery)
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <CardTitle>{texts.reviews}</CardTitle>
        <Link to="/admin/gift-cards" className={cn(textLink, 'text-sm')}>
          {texts.allReviews}
        </Link>
      </div>
      {cards.error ? (
        <Failed title={texts.cardsFailed} error={cards.error} retry={() => void cards.refetch()} />
      ) : null}
      {cards.isPending ? <LoadingRows rows={2} /> : null}
      {cards.data?.length === 0 ? <p className="text-sm text-muted-foreground">{texts.noReviews}</p> : null}
      <KeyedRows rows={cards.data ?? []}>
        <ul className="divide-y">
          {cards.data?.map((card) => (
            <li key={card.id} data-row={card.id}>
              <Review card={card} />
            </li>
          ))}
        </ul>
      </KeyedRows>
    </Card>
  )
}

const buttons = [
  { action: 'approve', label: texts.approve, variant: 'default' },
  { action: 'reject', label: texts.reject, variant: 'outline' },
] as const

function Review({ card }: { card: AdminGiftCard }) {
  const [action, setAction] = useState<CardAction>()
  return (
    <article aria-label={card.reference} className="flex flex-wrap items-center justify-between gap-3 py-3">
      <div className="min-w-0 text-sm">
        <p className="font-medium">
          {card.brand} · <Usd amount={card.value} />
        </p>
        <p className="text-xs text-muted-foreground wrap-anywhere">
          <Link to="/admin/gift-cards/$id" params={{ id: card.id }} className={cn(textLink, 'font-mono')}>
            {card.reference}
          </Link>{' '}
          <span className="font-mono">{card.id}</span>
        </p>
      </div>
      <div className="flex gap-2">
        {buttons.map(({ action: what, label, variant }) => (
          <Button
            key={what}
            size="sm"
            variant={variant}
            disabled={!card.actions.includes(what)}
            onClick={() => setAction(what)}
          >
            {label}
            <span className="sr-only"> {card.reference}</span>
          </Button>
        ))}
      </div>
      {action ? (
        <Suspense>
          <GiftCardDecision card={card} action={action} onClose={() => setAction(undefined)} />
        </Suspense>
      ) : null}
    </article>
  )
}

function VoucherStatistics() {
  const summary = useQuery(vouchersSummaryQuery({}))
  const { voucherFigures: names } = texts
  return (
    <Card>
      <CardTitle className="mb-4">{texts.voucherStatistics}</CardTitle>
      <Pairs>
        <Pair name={names.today}>{count(summary.data?.redeemedToday)}</Pair>
        <Pair name={names.value}>
          <Usd amount={summary.data?.totalValue} />
        </Pair>
        <Pair name={names.rate}>{summary.data?.successRate ? `${summary.data.successRate} %` : MISSING}</Pair>
      </Pairs>
    </Card>
  )
}
