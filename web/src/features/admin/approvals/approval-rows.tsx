import type { Approval } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { MISSING } from '@/lib/format'
import { useWide } from '@/lib/wide'
import { adminApprovals as texts } from '@/messages/admin-approvals'
import { queue } from '@/messages/admin-queue'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { Rows } from '../shared/list-frame'
import { ObjectLink } from '../shared/object-link'
import { Age, CustomerLink, Long, Opener, rowActs } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { RowDetails, useRowWork } from '../shared/row-work'
import { ApprovalDialog } from './approval-dialog'
import { ApprovalFacts, amountOf, bankLineOf, coinsOf } from './approval-facts'
import { type ApprovalAction, actionsOf, pageOf } from './queries'

/** The decisions about an approval. */
export const approvalButtons: readonly DecisionButton<ApprovalAction>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'reject', label: texts.actions.reject, weight: 'danger', shortcut: 'r' },
  { action: 'withdraw', label: texts.actions.withdraw, shortcut: 'w' },
]

/** What an approval is called. */
export const approvalName = ({ title, reference, customer, amount, currency }: Approval) =>
  [title, amount && amountOf({ amount, currency }), reference || customer].filter(Boolean).join(' · ')

function lookOf({ mayDecide, rule, eligible }: Approval): StatusLook {
  if (eligible === 0) return { label: texts.nobody, tone: 'danger' }
  if (mayDecide || !rule) return { label: texts.decide, tone: 'pending' }
  return { label: texts.rules[rule], tone: 'neutral' }
}

const columns = (onOpen: (approval: Approval) => void): readonly Column<Approval>[] => [
  {
    key: 'what',
    name: texts.what,
    cell: (approval) => <Opener onOpen={() => onOpen(approval)}>{approval.title}</Opener>,
  },
  {
    key: 'amount',
    name: texts.amount,
    numeric: true,
    cell: (approval) => (
      <span className="font-medium">
        {amountOf(approval)}
        {coinsOf(approval) ? (
          <span className="block text-xs font-normal text-muted-foreground">{coinsOf(approval)}</span>
        ) : null}
      </span>
    ),
  },
  {
    key: 'customer',
    name: texts.customer,
    cell: ({ customerId, customer }) =>
      customerId ? <CustomerLink id={customerId} name={customer} /> : MISSING,
  },
  {
    key: 'about',
    name: texts.about,
    cell: ({ objectKind, objectId, reference }) => (
      <ObjectLink kind={objectKind} id={objectId}>
        {reference || MISSING}
      </ObjectLink>
    ),
  },
  {
    key: 'bank',
    name: texts.bank,
    cell: (approval) => <Long text={bankLineOf(approval) || MISSING} />,
  },
  { key: 'why', name: texts.reason, cell: ({ reason }) => <Long text={reason || MISSING} /> },
  {
    key: 'by',
    name: texts.proposer,
    from: 'xl',
    cell: ({ proposer }) => <Long text={proposer || texts.system} />,
  },
  { key: 'age', name: queue.age, numeric: true, cell: ({ since }) => <Age since={since} /> },
  {
    key: 'who',
    name: texts.who,
    from: '2xl',
    cell: (approval) => <StatusBadge look={lookOf(approval)} />,
  },
]

/** What can be done about the approvals of a list, and how its rows and cards show them. */
export function useApprovalRows(rows: readonly Approval[]) {
  const work = useRowWork({
    rows,
    nameOf: approvalName,
    buttons: approvalButtons,
    may: actionsOf,
    links: (approval) => [{ label: texts.actions.open, link: pageOf(approval) }],
    dialog: (approval, action, close) =>
      action === 'details' ? (
        <RowDetails title={approval.title} onClose={close}>
          <ApprovalFacts approval={approval} />
        </RowDetails>
      ) : (
        <ApprovalDialog
          key={`${approval.id} ${action}`}
          approval={approval}
          action={action}
          onClose={close}
        />
      ),
  })
  return {
    work,
    columns: columns((approval) => work.open(approval, 'details')),
    card: (approval: Approval) => <ApprovalCard approval={approval} />,
  }
}

/** A second list of approvals on another page: the same rows, details and dialogs as in the inbox. */
export function ApprovalList({ title, rows }: { title: string; rows: readonly Approval[] }) {
  const wide = useWide()
  const { work, columns: shown, card } = useApprovalRows(rows)
  if (rows.length === 0) return null
  return (
    <Rows
      second
      wide={wide}
      fixed={false}
      title={title}
      rows={rows}
      columns={shown}
      dense={{ columns: shown, nameOf: approvalName }}
      work={work}
      card={card}
    />
  )
}

/** One approval below the width of the table. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  return (
    <article aria-label={approvalName(approval)} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <h2 className="text-base">{approval.title}</h2>
        <StatusBadge look={lookOf(approval)} />
      </div>
      <ApprovalFacts approval={approval} />
      <div className={rowActs}>
        <RowDecisions
          buttons={approvalButtons}
          actions={actionsOf(approval)}
          row={approvalName(approval)}
          dialog={(action, close) => <ApprovalDialog approval={approval} action={action} onClose={close} />}
        />
      </div>
    </article>
  )
}
