import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Gift } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import type { AdminGiftCard } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { MISSING, usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { adminGiftCards as texts } from '@/messages/admin-gift-cards'
import { queue } from '@/messages/admin-queue'
import { Fact } from '../shared/facts'
import { Person } from '../shared/person'
import { PhoneRow, phoneFrame, phoneLink } from '../shared/phone-row'
import { OpenText, Queue, QueueCard } from '../shared/queue'
import { Age, CustomerLink, RowStatus, rowLink } from '../shared/queue-cells'
import { shownStatus } from '../shared/queue-filter'
import type { Column } from '../shared/queue-table'
import { toCustomer, toWorkflow, useRowWork, whileDeciding } from '../shared/row-work'
import { type GiftCardFilter, giftCardStatuses } from './filters'
import { cardButtons, GiftCardDecision } from './gift-card-buttons'
import { adminGiftCardLooks } from './gift-card-looks'
import { adminGiftCardsQuery, giftCardsSummaryQuery } from './queries'

interface GiftCardsScreenProps {
  filter: GiftCardFilter
  onFilter: (filter: GiftCardFilter, replace: boolean) => void
}

export function AdminGiftCardsScreen({ filter, onFilter }: GiftCardsScreenProps) {
  const list = useInfiniteQuery(adminGiftCardsQuery(filter))
  const summary = useQuery(giftCardsSummaryQuery(filter))
  const phone = usePhone()
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf: ({ reference }) => reference,
    buttons: cardButtons,
    may: ({ actions }) => actions,
    busy: ({ decision }) => whileDeciding(decision),
    links: ({ userId, workflowUrl }) => [toCustomer(texts.customer, userId), ...toWorkflow(workflowUrl)],
    dialog: (card, action, close) =>
      action === 'details' ? null : (
        <Suspense>
          <GiftCardDecision card={card} action={action} onClose={close} />
        </Suspense>
      ),
  })
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={Gift}
      list={list}
      summary={summary}
      lead={`${texts.stats.value}: ${usd(summary.data?.waitingValue)}`}
      value={shownStatus(filter.status, filter.q, 'in_review')}
      done={filter.status || filter.q ? undefined : queue.nothingToDecide}
      choices={giftCardStatuses}
      labels={texts.status}
      counts={summary.data?.byStatus}
      onChoose={(status) => onFilter({ ...filter, status }, false)}
      search={{
        id: 'gift-cards-search',
        value: filter.q,
        onChange: (q) => onFilter({ ...filter, q }, true),
      }}
      card={(card) =>
        phone ? (
          <GiftCardLines card={card} filter={filter} acts={work.phoneActs(card)} />
        ) : (
          <GiftCardRow card={card} filter={filter} />
        )
      }
      dense={{ columns: columns(filter), nameOf: (card) => card.reference }}
      work={work}
    />
  )
}

const columns = (filter: GiftCardFilter): readonly Column<AdminGiftCard>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: ({ id, reference }) => (
      <Link to="/admin/gift-cards/$id" params={{ id }} search={filter} data-open className={rowLink}>
        {reference}
      </Link>
    ),
  },
  {
    key: 'customer',
    name: texts.customer,
    cell: (card) => <CustomerLink id={card.userId} name={card.customerName || card.customerEmail} />,
  },
  { key: 'brand', name: queue.brand, cell: ({ brand }) => brand },
  { key: 'value', name: queue.value, numeric: true, cell: ({ value }) => <Usd amount={value} /> },
  {
    key: 'payout',
    name: texts.payout,
    numeric: true,
    cell: ({ paid, payout }) => <Usd amount={paid ?? payout} className="font-medium" />,
  },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, status }) => <Age since={createdAt} waits={status === 'in_review'} />,
  },
  {
    key: 'due',
    name: texts.due,
    from: 'xl',
    cell: ({ status, reviewDueAt }) => (status === 'in_review' ? <Time at={reviewDueAt} /> : MISSING),
  },
  {
    key: 'status',
    name: queue.status,
    cell: (card) => <RowStatus look={adminGiftCardLooks[card.status]} underWay={Boolean(card.decision)} />,
  },
]

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
          <Fact name={texts.customer}>
            <Person name={card.customerName || card.customerEmail} />
          </Fact>
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

interface GiftCardLinesProps {
  card: AdminGiftCard
  filter: GiftCardFilter
  acts: ReactNode
}

/** A gift card on a phone. */
function GiftCardLines({ card, filter, acts }: GiftCardLinesProps) {
  return (
    <PhoneRow
      className={phoneFrame}
      title={
        <Link
          to="/admin/gift-cards/$id"
          params={{ id: card.id }}
          search={filter}
          data-open
          className={phoneLink}
        >
          <span className="font-mono">{card.reference}</span>
        </Link>
      }
      figure={<Usd amount={card.value} className="font-medium" />}
      about={
        <>
          {card.brand} · <Person name={card.customerName || card.customerEmail} /> ·{' '}
          {card.paid ? texts.paid : texts.payout} <Usd amount={card.paid ?? card.payout} /> ·{' '}
          <Age since={card.createdAt} waits={card.status === 'in_review'} />
        </>
      }
      badge={<RowStatus look={adminGiftCardLooks[card.status]} />}
      acts={acts}
    />
  )
}
