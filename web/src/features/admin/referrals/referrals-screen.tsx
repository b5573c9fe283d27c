import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import type { AdminReward, RewardsSummary } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { textLink } from '@/components/ui/text-link'
import { count, usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { queue, reasonPresets } from '@/messages/admin-queue'
import { rewardStatus as labels, rewardSignals, adminReferrals as texts } from '@/messages/admin-referrals'
import { FilterChips } from '../shared/chips'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { Counters, ListFrame } from '../shared/list-frame'
import { Age, CustomerLink, Long, Opener, RowStatus, rowActs } from '../shared/queue-cells'
import { chipOf, shownStatus } from '../shared/queue-filter'
import type { Column } from '../shared/queue-table'
import { RowDetails, toWorkflow, useRowWork, whileDeciding } from '../shared/row-work'
import { useDecision } from '../shared/use-decision'
import { WorkflowLink } from '../shared/workflow-link'
import { type RewardFilter, rewardStatuses } from './filters'
import { adminReferralsQuery, type RewardAction, referralsSummaryQuery, rewardDecisions } from './queries'

const rewardButtons: readonly DecisionButton<RewardAction>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'refuse', label: texts.actions.refuse, weight: 'danger', shortcut: 'r' },
]

const looks: Record<AdminReward['status'], StatusLook> = {
  held: { label: labels.held, tone: 'pending' },
  active: { label: labels.active, tone: 'progress' },
  rewarded: { label: labels.rewarded, tone: 'success' },
  refused: { label: labels.refused, tone: 'neutral', ended: true },
  clawed_back: { label: labels.clawed_back, tone: 'neutral', ended: true },
}

interface AdminReferralsScreenProps {
  filter: RewardFilter
  onFilter: (filter: RewardFilter) => void
}

/** The earned rewards; those that are held wait here for an admin. */
export function AdminReferralsScreen({ filter, onFilter }: AdminReferralsScreenProps) {
  const list = useInfiniteQuery(adminReferralsQuery(filter))
  const summary = useQuery(referralsSummaryQuery)
  const shown = shownStatus(filter.status, undefined, 'held')
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: rewardButtons,
    may: ({ actions }) => actions,
    busy: ({ deciding }) => whileDeciding(deciding),
    links: ({ orderId, workflowUrl }) => [
      { label: texts.order, link: { to: '/admin/orders/$id', params: { id: orderId } } },
      ...toWorkflow(workflowUrl),
    ],
    dialog: (reward, action, close) =>
      action === 'details' ? (
        <RowDetails title={reward.reference} onClose={close}>
          <RewardCard reward={reward} />
        </RowDetails>
      ) : (
        <Decide reward={reward} action={action} onClose={close} />
      ),
  })
  return (
    <ListFrame
      title={texts.title}
      list={list}
      summary={summary}
      counters={<Counters figures={figures(summary.data)} wide={5} />}
      filters={
        <FilterChips
          legend={texts.statusFilter}
          value={chipOf(shown)}
          all={{ label: texts.all, count: null }}
          choices={rewardStatuses}
          labels={labels}
          counts={(status) => (inCards.includes(status) ? null : summary.data?.byStatus[status])}
          onChoose={(status) => onFilter({ ...filter, status: status ?? 'all' })}
        />
      }
      filtered={shown !== 'all'}
      failed={texts.fetchFailed}
      empty={{
        title: texts.empty,
        filteredHint: texts.emptyFiltered,
        firstHint: texts.emptyHint,
        icon: Users,
      }}
      card={(reward) => <RewardCard reward={reward} />}
      dense={{ columns: columns((reward) => work.open(reward, 'details')), nameOf }}
      work={work}
    />
  )
}

const nameOf = ({ reference }: AdminReward) => reference

const columns = (onOpen: (reward: AdminReward) => void): readonly Column<AdminReward>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: (reward) => <Opener onOpen={() => onOpen(reward)}>{reward.reference}</Opener>,
  },
  {
    key: 'payee',
    name: texts.payee,
    cell: ({ payeeId, payeeEmail }) => <CustomerLink id={payeeId} name={payeeEmail} />,
  },
  { key: 'kind', name: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
  {
    key: 'amount',
    name: queue.amount,
    numeric: true,
    cell: ({ amount }) => <Usd amount={amount} className="font-medium" />,
  },
  {
    key: 'why',
    name: texts.why,
    cell: ({ signals }) => <Long text={signals.map((one) => rewardSignals[one] ?? one).join('; ')} />,
  },
  {
    key: 'friend',
    name: texts.friend,
    from: '2xl',
    cell: ({ friendId, friendEmail }) => <CustomerLink id={friendId} name={friendEmail} />,
  },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, status }) => <Age since={createdAt} waits={status === 'held'} />,
  },
  {
    key: 'status',
    name: queue.status,
    cell: ({ status, deciding }) => <RowStatus look={looks[status]} underWay={deciding} />,
  },
]

/** Whose number stands above the list. */
const inCards: readonly AdminReward['status'][] = ['held', 'rewarded', 'clawed_back']

function figures(summary: RewardsSummary | undefined) {
  const { stats } = texts
  return [
    [stats.total, count(summary?.total)],
    [stats.held, count(summary?.byStatus.held)],
    [stats.rewarded, count(summary?.byStatus.rewarded)],
    [stats.clawedBack, count(summary?.byStatus.clawed_back)],
    [stats.paid, <Usd key="paid" amount={summary?.paid} />],
  ] as const
}

function RewardCard({ reward }: { reward: AdminReward }) {
  return (
    <article aria-label={reward.reference} className="flex flex-col rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">
            {texts.kinds[reward.kind]} · <Usd amount={reward.amount} />
          </h2>
          <p className="font-mono text-xs text-muted-foreground">{reward.reference}</p>
        </div>
        <StatusBadge look={looks[reward.status]} />
      </div>
      <Facts>
        <Fact name={texts.payee}>{reward.payeeEmail}</Fact>
        {reward.kind === 'referral' ? <Fact name={texts.friend}>{reward.friendEmail}</Fact> : null}
        <Fact name={texts.order}>
          <Link to="/admin/orders/$id" params={{ id: reward.orderId }} className={`${textLink} font-mono`}>
            {reward.orderReference}
          </Link>
        </Fact>
        <Fact name={texts.promised}>
          <Time at={reward.createdAt} />
        </Fact>
        {reward.rewardedAt ? (
          <Fact name={texts.paidAt}>
            <Time at={reward.rewardedAt} />
          </Fact>
        ) : null}
        {reward.reason ? <Fact name={texts.reasonGiven}>{reward.reason}</Fact> : null}
      </Facts>
      <Why signals={reward.signals} />
      <div className={rowActs}>
        <RowDecisions
          buttons={rewardButtons}
          actions={reward.actions}
          row={reward.reference}
          dialog={(action, close) => <Decide reward={reward} action={action} onClose={close} />}
        />
        {reward.workflowUrl ? <WorkflowLink url={reward.workflowUrl} /> : null}
        {reward.deciding ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
    </article>
  )
}

/** What spoke against paying it at once. */
function Why({ signals }: { signals: readonly string[] }) {
  if (signals.length === 0) return null
  return (
    <div className="mt-3 text-sm">
      <h3 className="text-xs font-normal text-muted-foreground">{texts.why}</h3>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {signals.map((signal) => (
          <li key={signal}>{rewardSignals[signal] ?? signal}</li>
        ))}
      </ul>
    </div>
  )
}

interface DecideProps {
  reward: AdminReward
  action: RewardAction
  onClose: () => void
}

function Decide({ reward, action, onClose }: DecideProps) {
  const decide = useDecision(
    (reason) => rewardDecisions[action](reward.id, reason),
    { done: texts.done[action], failed: texts.decisionFailed, failedText: texts.decisionFailedText },
    [['admin-referrals']],
    onClose,
  )
  return (
    <DecisionDialog
      title={texts.dialogs[action].title}
      text={`${reward.reference} · ${usd(reward.amount)} · ${reward.payeeEmail}. ${texts.dialogs[action].text}`}
      confirm={texts.actions[action]}
      destructive={action === 'refuse'}
      reason={{
        label: texts.reason,
        placeholder: texts.reasonPlaceholder,
        presets: action === 'refuse' ? reasonPresets.reward : undefined,
      }}
      decision={decide}
      onClose={onClose}
    />
  )
}
