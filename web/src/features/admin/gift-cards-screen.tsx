import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gift } from 'lucide-react'
import type { AdminGiftCard, GiftCardsSummary } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { count } from '@/lib/format'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { Chips } from './chips'
import { Fact, Facts } from './facts'
import { type GiftCardFilter, giftCardStatuses } from './filters'
import { adminGiftCardLooks } from './gift-card-looks'
import { adminGiftCardsQuery, giftCardsSummaryQuery } from './gift-card-queries'
import { Counters, ListFrame } from './list-frame'

interface GiftCardsScreenProps {
  filter: GiftCardFilter
  onFilter: (filter: GiftCardFilter) => void
}

export function AdminGiftCardsScreen({ filter, onFilter }: GiftCardsScreenProps) {
  const list = useInfiniteQuery(adminGiftCardsQuery(filter))
  const summary = useQuery(giftCardsSummaryQuery(filter))
  return (
    <ListFrame
      title={texts.title}
      list={list}
      onRefresh={() => {
        void list.refetch()
        void summary.refetch()
      }}
      counters={<Counters figures={figures(summary.data)} wide={5} />}
      filters={
        <Chips
          legend={texts.statusFilter}
          value={filter.status ?? 'all'}
          onChange={(status) => onFilter({ status: status === 'all' ? undefined : status })}
          chips={[
            { value: 'all', label: texts.all, count: summary.data?.total },
            ...giftCardStatuses.map((status) => ({
              value: status,
              label: texts.status[status],
              count: summary.data?.byStatus[status],
            })),
          ]}
        />
      }
      filtered={Boolean(filter.status)}
      failed={texts.fetchFailed}
      empty={{ title: texts.empty, filteredHint: texts.emptyFiltered, icon: Gift }}
      card={(card) => <GiftCardRow card={card} />}
    />
  )
}

function figures(summary: GiftCardsSummary | undefined) {
  const { stats } = texts
  return [
    [stats.total, count(summary?.total)],
    [stats.waiting, count(summary?.byStatus.in_review)],
    [stats.approved, count(summary?.byStatus.approved)],
    [stats.realised, count(summary?.byStatus.realised)],
    [stats.value, <Usd key="value" amount={summary?.waitingValue} />],
  ] as const
}

function GiftCardRow({ card }: { card: AdminGiftCard }) {
  return (
    <article aria-label={card.reference} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">
            {card.brand} · <Usd amount={card.value} />
          </h2>
          <p className="font-mono text-xs text-muted-foreground">{card.reference}</p>
        </div>
        <StatusBadge look={adminGiftCardLooks[card.status]} />
      </div>
      <Facts>
        <Fact name={texts.customer}>{card.customerName || card.customerEmail}</Fact>
        <Fact name={card.paid ? texts.paid : texts.payout}>
          <Usd amount={card.paid ?? card.payout} />
        </Fact>
        <Fact name={texts.sent}>
          <Time at={card.createdAt} />
        </Fact>
        {card.status === 'in_review' && card.reviewDueAt ? (
          <Fact name={texts.due}>
            <Time at={card.reviewDueAt} />
          </Fact>
        ) : null}
      </Facts>
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Link
          to="/admin/gift-cards/$id"
          params={{ id: card.id }}
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          {texts.open}
          <span className="sr-only"> {card.reference}</span>
        </Link>
        {card.decision ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
    </article>
  )
}
