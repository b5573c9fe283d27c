import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Landmark } from 'lucide-react'
import type { AdminPayout, PayoutsSummary } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { useNow } from '@/lib/clock'
import { count, timeLeft } from '@/lib/format'
import { adminPayouts as texts } from '@/messages/admin-payouts'
import { Fact } from './facts'
import { type PayoutFilter, payoutStatuses } from './filters'
import { accountOf, adminPayoutLooks, adminPayoutsQuery, payoutsSummaryQuery } from './payout-queries'
import { OpenText, Queue, QueueCard } from './queue'

interface PayoutsScreenProps {
  filter: PayoutFilter
  onFilter: (filter: PayoutFilter, replace: boolean) => void
}

/** The queue of payouts: what waits has its longest waiter first. */
export function AdminPayoutsScreen({ filter, onFilter }: PayoutsScreenProps) {
  const list = useInfiniteQuery(adminPayoutsQuery(filter))
  const summary = useQuery(payoutsSummaryQuery(filter))
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={Landmark}
      list={list}
      summary={summary}
      figures={figures(summary.data)}
      value={filter.status}
      choices={payoutStatuses}
      labels={texts.status}
      counts={summary.data?.byStatus}
      onChoose={(status) => onFilter({ ...filter, status }, false)}
      search={{ id: 'payouts-search', value: filter.q, onChange: (q) => onFilter({ ...filter, q }, true) }}
      card={(payout) => <PayoutRow payout={payout} filter={filter} />}
    />
  )
}

function figures(summary: PayoutsSummary | undefined) {
  const { stats } = texts
  return [
    [stats.total, count(summary?.total)],
    [stats.requested, count(summary?.byStatus.requested)],
    [stats.approved, count(summary?.byStatus.approved)],
    [stats.paid, count(summary?.byStatus.paid)],
    [stats.sum, <Usd key="sum" amount={summary?.waitingSum} />],
  ] as const
}

function PayoutRow({ payout, filter }: { payout: AdminPayout; filter: PayoutFilter }) {
  return (
    <QueueCard
      name={payout.reference}
      title={<Usd amount={payout.amount} />}
      code={<span className="font-mono">{payout.reference}</span>}
      look={adminPayoutLooks[payout.status]}
      facts={
        <>
          <Fact name={texts.customer}>{payout.customerName || payout.customerEmail}</Fact>
          <Fact name={texts.account}>{accountOf(payout)}</Fact>
          <Fact name={texts.asked}>
            <Time at={payout.createdAt} />
          </Fact>
          <Standing payout={payout} />
        </>
      }
      open={
        <Link
          to="/admin/payouts/$id"
          params={{ id: payout.id }}
          search={filter}
          data-open
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          <OpenText name={payout.reference} />
        </Link>
      }
      underWay={Boolean(payout.decision)}
    />
  )
}

/** How long it has waited and how many have agreed, or when it was paid. */
function Standing({ payout }: { payout: AdminPayout }) {
  const now = useNow(60_000)
  if (payout.paidAt)
    return (
      <Fact name={texts.paidAt}>
        <Time at={payout.paidAt} />
      </Fact>
    )
  if (payout.status !== 'requested' && payout.status !== 'approved') return null
  return (
    <>
      <Fact name={texts.waits}>{timeLeft(now - Date.parse(payout.createdAt))}</Fact>
      <Fact name={texts.approvals}>{texts.approvalsOf(payout.approvals, payout.approvalsNeeded)}</Fact>
    </>
  )
}
