import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gift } from 'lucide-react'
import type { AdminGiftCard, GiftCardsSummary } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { count } from '@/lib/format'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { Fact } from './facts'
import { type GiftCardFilter, giftCardStatuses } from './filters'
import { adminGiftCardLooks } from './gift-card-looks'
import { adminGiftCardsQuery, giftCardsSummaryQuery } from './gift-card-queries'
import { OpenText, Queue, QueueCard } from './queue'

interface GiftCardsScreenProps {
  filter: GiftCardFilter
  onFilter: (filter: GiftCardFilter, replace: boolean) => void
}

export function AdminGiftCardsScreen({ filter, onFilter }: GiftCardsScreenProps) {
  const list = useInfiniteQuery(adminGiftCardsQuery(filter))
  const summary = useQuery(giftCardsSummaryQuery(filter))
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={Gift}
      list={list}
      summary={summary}
      figures={figures(summary.data)}
      value={filter.status}
      choices={giftCardStatuses}
      labels={texts.status}
      counts={summary.data?.byStatus}
      onChoose={(status) => onFilter({ ...filter, status }, false)}
      search={{
        id: 'gift-cards-search',
        value: filter.q,
        onChange: (q) => onFilter({ ...filter, q }, true),
      }}
      card={(card) => <GiftCardRow card={card} filter={filter} />}
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

function GiftCardRow({ card, filter }: { card: AdminGiftCard; filter: GiftCardFilter }) {
  return (
    <QueueCard
      name={card.reference}
      title={
        <>
          {card.brand} · <Usd amount={card.value} />
        </>
      }
      code={<span className="font-mono">{card.reference}</span>}
      look={adminGiftCardLooks[card.status]}
      facts={
        <>
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
        </>
      }
      open={
        <Link
          to="/admin/gift-cards/$id"
          params={{ id: card.id }}
          search={filter}
          data-open
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          <OpenText name={card.reference} />
        </Link>
      }
      underWay={Boolean(card.decision)}
    />
  )
}
