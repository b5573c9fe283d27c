import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Landmark } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AdminPayout } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { useNow } from '@/lib/clock'
import { timeLeft, usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { adminPayouts as texts } from '@/messages/admin-payouts'
import { queue } from '@/messages/admin-queue'
import { Fact } from '../shared/facts'
import { Person } from '../shared/person'
import { PhoneRow, phoneFrame, phoneLink } from '../shared/phone-row'
import { OpenText, Queue, QueueCard } from '../shared/queue'
import { Age, CustomerLink, RowStatus, rowLink } from '../shared/queue-cells'
import { shownStatus } from '../shared/queue-filter'
import type { Column } from '../shared/queue-table'
import { toCustomer, toWorkflow, useRowWork, whileDeciding } from '../shared/row-work'
import { type PayoutFilter, payoutStatuses } from './filters'
import { PayoutDecision, payoutButtons } from './payout-decision'
import { accountOf, adminPayoutsQuery, payoutLook, payoutsSummaryQuery } from './queries'

interface PayoutsScreenProps {
  filter: PayoutFilter
  onFilter: (filter: PayoutFilter, replace: boolean) => void
}

/** The queue of payouts: what waits has its longest waiter first. */
export function AdminPayoutsScreen({ filter, onFilter }: PayoutsScreenProps) {
  const list = useInfiniteQuery(adminPayoutsQuery(filter))
  const summary = useQuery(payoutsSummaryQuery(filter))
  const phone = usePhone()
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf: ({ reference }) => reference,
    buttons: payoutButtons,
    may: ({ actions }) => actions,
    busy: ({ decision }) => whileDeciding(decision),
    links: ({ userId, workflowUrl }) => [toCustomer(texts.customer, userId), ...toWorkflow(workflowUrl)],
    dialog: (payout, action, close) =>
      action === 'details' ? null : <PayoutDecision payout={payout} action={action} onClose={close} />,
  })
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={Landmark}
      list={list}
      summary={summary}
      lead={`${texts.stats.sum}: ${usd(summary.data?.waitingSum)}`}
      value={shownStatus(filter.status, filter.q, 'requested')}
      done={filter.status || filter.q ? undefined : emptied(summary.data?.byStatus.approved)}
      choices={payoutStatuses}
      labels={texts.status}
      counts={summary.data?.byStatus}
      onChoose={(status) => onFilter({ ...filter, status }, false)}
      search={{ id: 'payouts-search', value: filter.q, onChange: (q) => onFilter({ ...filter, q }, true) }}
      card={(payout) =>
        phone ? (
          <PayoutLines payout={payout} filter={filter} acts={work.phoneActs(payout)} />
        ) : (
          <PayoutRow payout={payout} filter={filter} />
        )
      }
      dense={{ columns: columns(filter), nameOf: (payout) => payout.reference }}
      work={work}
    />
  )
}

/** The list opens on what is to approve: what is to transfer is another chip's. */
const emptied = (approved: number | undefined) =>
  approved ? texts.toTransfer(approved) : queue.nothingToDecide

const columns = (filter: PayoutFilter): readonly Column<AdminPayout>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: ({ id, reference }) => (
      <Link to="/admin/payouts/$id" params={{ id }} search={filter} data-open className={rowLink}>
        {reference}
      </Link>
    ),
  },
  {
    key: 'customer',
    name: texts.customer,
    cell: (payout) => <CustomerLink id={payout.userId} name={payout.customerName || payout.customerEmail} />,
  },
  {
    key: 'amount',
    name: queue.amount,
    numeric: true,
    cell: ({ amount }) => <Usd amount={amount} className="font-medium" />,
  },
  { key: 'account', name: texts.account, cell: (payout) => accountOf(payout) },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, status }) => (
      <Age since={createdAt} waits={status === 'requested' || status === 'approved'} />
    ),
  },
  {
    key: 'approvals',
    name: texts.approvals,
    cell: ({ approvals, approvalsNeeded }) => texts.approvalsOf(approvals, approvalsNeeded),
  },
  { key: 'asked', name: texts.asked, from: '2xl', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    key: 'status',
    name: queue.status,
    cell: (payout) => <RowStatus look={payoutLook(payout)} underWay={Boolean(payout.decision)} />,
  },
]

function PayoutRow({ payout, filter }: { payout: AdminPayout; filter: PayoutFilter }) {
  return (
    <QueueCard
      name={payout.reference}
      title={<Usd amount={payout.amount} />}
      code={<span className="font-mono">{payout.reference}</span>}
      look={payoutLook(payout)}
      facts={
        <>
          <Fact name={texts.customer}>
            <Person name={payout.customerName || payout.customerEmail} />
          </Fact>
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

interface PayoutLinesProps {
  payout: AdminPayout
  filter: PayoutFilter
  acts: ReactNode
}

/** A payout on a phone. */
function PayoutLines({ payout, filter, acts }: PayoutLinesProps) {
  const waits = payout.status === 'requested' || payout.status === 'approved'
  return (
    <PhoneRow
      className={phoneFrame}
      title={
        <Link
          to="/admin/payouts/$id"
          params={{ id: payout.id }}
          search={filter}
          data-open
          className={phoneLink}
        >
          <span className="font-mono">{payout.reference}</span>
        </Link>
      }
      figure={<Usd amount={payout.amount} className="font-medium" />}
      about={
        <>
          <Person name={payout.customerName || payout.customerEmail} /> · {accountOf(payout)}
          {waits ? ` · ${texts.approvalsOf(payout.approvals, payout.approvalsNeeded)}` : ''} ·{' '}
          {waits ? <Age since={payout.createdAt} /> : <Time at={payout.paidAt ?? payout.createdAt} />}
        </>
      }
      badge={<RowStatus look={payoutLook(payout)} />}
      acts={acts}
    />
  )
}
