import { useInfiniteQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { approveRecovery, refuseRecovery, vouchForRecovery } from '@/api/admin.gen'
import type { AdminRecovery } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { withCode } from '@/features/two-factor/step-up'
import { MISSING } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { queue, reasonPresets } from '@/messages/admin-queue'
import { adminSecurity as texts } from '@/messages/two-factor'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { Fact, Facts } from '../shared/facts'
import { ListFrame } from '../shared/list-frame'
import { Person } from '../shared/person'
import { Age, CustomerLink, Opener, RowStatus, rowActs } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { RowDetails, useRowWork, whileDeciding } from '../shared/row-work'
import { useStepUpAct } from '../shared/use-step-up-act'
import { recoveriesKey, recoveriesQuery } from './queries'

/**
 * The possible decisions about a request: A approves it, which completes it or passes it to the second admin.
 */
const recoveryButtons: readonly DecisionButton<RecoveryAction>[] = [
  { action: 'vouch', label: texts.actions.vouch, weight: 'first', shortcut: 'a' },
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'refuse', label: texts.actions.refuse, weight: 'danger', shortcut: 'r' },
]

/** Requests to lift a lost second factor: one admin vouches, another approves. */
export function AdminSecurityScreen() {
  const list = useInfiniteQuery(recoveriesQuery)
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: recoveryButtons,
    may: ({ actions }) => actions,
    busy: ({ deciding }) => whileDeciding(deciding),
    dialog: (recovery, action, close) =>
      action === 'details' ? (
        <RowDetails title={recovery.reference} onClose={close}>
          <RecoveryCard recovery={recovery} />
        </RowDetails>
      ) : (
        <Decide recovery={recovery} action={action} onClose={close} />
      ),
  })
  return (
    <ListFrame
      title={texts.title}
      list={list}
      counters={null}
      filters={null}
      filtered={false}
      failed={texts.fetchFailed}
      empty={{
        title: texts.empty,
        filteredHint: texts.emptyHint,
        firstHint: texts.emptyHint,
        icon: KeyRound,
      }}
      card={(recovery) => <RecoveryCard recovery={recovery} />}
      dense={{ columns: columns((recovery) => work.open(recovery, 'details')), nameOf }}
      work={work}
    />
  )
}

const nameOf = ({ reference }: AdminRecovery) => reference

const looks: Record<AdminRecovery['status'], StatusLook> = {
  asked: { label: texts.status.asked, tone: 'pending' },
  vouched: { label: texts.status.vouched, tone: 'info' },
  recovered: { label: texts.status.recovered, tone: 'success' },
  cancelled: { label: texts.status.cancelled, tone: 'neutral', ended: true },
  refused: { label: texts.status.refused, tone: 'neutral', ended: true },
  expired: { label: texts.status.expired, tone: 'neutral', ended: true },
}

const columns = (onOpen: (recovery: AdminRecovery) => void): readonly Column<AdminRecovery>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: (recovery) => <Opener onOpen={() => onOpen(recovery)}>{recovery.reference}</Opener>,
  },
  {
    key: 'customer',
    name: texts.customer,
    cell: ({ userId, customerName, customerEmail }) => (
      <CustomerLink id={userId} name={customerName || customerEmail} />
    ),
  },
  { key: 'ready', name: texts.ready, cell: ({ readyAt }) => <Time at={readyAt} /> },
  { key: 'vouched', name: texts.vouchedBy, cell: ({ vouchedBy }) => vouchedBy ?? MISSING },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, closedAt }) => <Age since={createdAt} waits={!closedAt} />,
  },
  {
    key: 'status',
    name: queue.status,
    cell: ({ status, deciding }) => <RowStatus look={looks[status]} underWay={Boolean(deciding)} />,
  },
]

function RecoveryCard({ recovery }: { recovery: AdminRecovery }) {
  return (
    <Card>
      <CardTitle>
        {recovery.reference} · {texts.status[recovery.status]}
      </CardTitle>
      <Facts className="mt-4">
        <Fact name={texts.customer}>
          <Person name={recovery.customerName || recovery.customerEmail} />
        </Fact>
        <Fact name={texts.asked}>
          <Time at={recovery.createdAt} />
        </Fact>
        <Fact name={texts.ready}>
          <Time at={recovery.readyAt} />
        </Fact>
        {recovery.vouchedBy ? <Fact name={texts.vouchedBy}>{recovery.vouchedBy}</Fact> : null}
        {recovery.vouchedHow ? <Fact name={texts.vouchedHow}>{recovery.vouchedHow}</Fact> : null}
      </Facts>
      <div className={rowActs}>
        <RowDecisions
          buttons={recoveryButtons}
          actions={recovery.actions}
          row={recovery.reference}
          dialog={(action, close) => <Decide recovery={recovery} action={action} onClose={close} />}
        />
      </div>
    </Card>
  )
}

const calls = { vouch: vouchForRecovery, approve: approveRecovery, refuse: refuseRecovery }

type RecoveryAction = keyof typeof calls

interface DecideProps {
  recovery: AdminRecovery
  action: RecoveryAction
  onClose: () => void
}

function Decide({ recovery, action, onClose }: DecideProps) {
  const send = async (reason: string, code?: string) => {
    const input = { path: { id: recovery.id }, body: { reason } }
    if (action === 'refuse') return calls.refuse(input)
    return calls[action]({ ...input, ...withCode(code) })
  }
  const decide = useStepUpAct(send, {
    asks: action !== 'refuse',
    said: () => ({ title: texts.done }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [recoveriesKey],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={`${texts.actions[action]}: ${recovery.reference}`}
      text={texts.explain[action]}
      confirm={texts.actions[action]}
      destructive={action === 'approve'}
      reason={{
        label: texts.reason,
        placeholder: texts.reasonHint,
        presets: action === 'refuse' ? reasonPresets.recovery : undefined,
      }}
      decision={decide}
      onClose={onClose}
    />
  )
}
