import type { MoneyProposal } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { textLink } from '@/components/ui/text-link'
import { figure, MISSING, usd } from '@/lib/format'
import { useWide } from '@/lib/wide'
import { adminMoney as texts } from '@/messages/admin-money'
import { queue } from '@/messages/admin-queue'
import { debitAndCredit } from '../shared/account-name'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { Rows } from '../shared/list-frame'
import { ObjectLink } from '../shared/object-link'
import { Age, Long, Opener } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { RowDetails, useRowWork } from '../shared/row-work'
import { ProposalDialog } from './money-dialog'
import type { ProposalAction } from './queries'

/** The decisions of the second admin, or of the proposer, about a proposal. */
export const moneyAnswers: readonly DecisionButton<ProposalAction>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'reject', label: texts.actions.reject, weight: 'danger', shortcut: 'r' },
  { action: 'withdraw', label: texts.actions.withdraw, shortcut: 'w' },
]

/** What a proposal would do, in a line. */
function detailOf({ act }: MoneyProposal): string {
  return [
    act.amount && usd(act.amount),
    act.bankReference,
    act.on,
    act.code,
    act.evidence,
    act.kept && texts.kept,
  ]
    .filter(Boolean)
    .join(' · ')
}

const aboutOf = (proposal: MoneyProposal) =>
  [texts.kinds[proposal.kind], proposal.reference, detailOf(proposal)].filter(Boolean).join(' · ')

const nameOf = ({ kind, reference }: MoneyProposal) => `${texts.kinds[kind]} ${reference}`

const columns = (onOpen: (proposal: MoneyProposal) => void): readonly Column<MoneyProposal>[] => [
  {
    key: 'kind',
    name: texts.waiting,
    cell: (proposal) => <Opener onOpen={() => onOpen(proposal)}>{texts.kinds[proposal.kind]}</Opener>,
  },
  {
    key: 'order',
    name: texts.order,
    cell: ({ orderId, reference }) => (
      <ObjectLink kind="order" id={orderId}>
        {reference || MISSING}
      </ObjectLink>
    ),
  },
  { key: 'what', name: queue.details, cell: (proposal) => <Long text={detailOf(proposal)} /> },
  { key: 'why', name: texts.reason, from: 'xl', cell: ({ reason }) => <Long text={reason} /> },
  { key: 'by', name: queue.proposedBy, cell: ({ proposer }) => <Long text={proposer} /> },
  { key: 'age', name: queue.age, numeric: true, cell: ({ createdAt }) => <Age since={createdAt} /> },
]

/** The proposals that wait for a second admin, as a queue. */
export function MoneyProposals({ rows }: { rows: readonly MoneyProposal[] }) {
  const wide = useWide()
  const work = useRowWork({
    rows,
    nameOf,
    buttons: moneyAnswers,
    may: ({ actions }) => actions,
    dialog: (proposal, action, close) =>
      action === 'details' ? (
        <RowDetails title={texts.kinds[proposal.kind]} onClose={close}>
          <ul>
            <ProposalRow proposal={proposal} />
          </ul>
        </RowDetails>
      ) : (
        <ProposalDialog id={proposal.id} action={action} about={aboutOf(proposal)} onClose={close} />
      ),
  })
  if (!wide)
    return (
      <ul className="divide-y">
        {rows.map((proposal) => (
          <ProposalRow key={proposal.id} proposal={proposal} />
        ))}
      </ul>
    )
  const shown = columns((proposal) => work.open(proposal, 'details'))
  return (
    <Rows
      second
      wide
      fixed={false}
      title={texts.waiting}
      rows={rows}
      columns={shown}
      dense={{ columns: shown, nameOf }}
      work={work}
      card={(proposal) => <ProposalRow proposal={proposal} />}
    />
  )
}

/** One proposal: what, by whom, why, and the reader's possible decisions. */
export function ProposalRow({ proposal }: { proposal: MoneyProposal }) {
  const kind = texts.kinds[proposal.kind]
  return (
    <li
      data-row={proposal.id}
      tabIndex={-1}
      className="space-y-2 py-3 text-sm outline-none first:pt-0 last:pb-0 focus-visible:bg-accent"
    >
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{kind}</span>
        <span className="text-muted-foreground">
          <Time at={proposal.createdAt} />{' '}
          {proposal.status === 'open' ? null : (
            <StatusBadge
              look={{
                label: texts.proposalStatuses[proposal.status],
                tone: proposal.status === 'approved' ? 'success' : 'neutral',
              }}
            />
          )}
        </span>
      </p>
      <p className="wrap-anywhere">
        {proposal.orderId ? (
          <>
            <ObjectLink kind="order" id={proposal.orderId}>
              {proposal.reference}
            </ObjectLink>{' '}
          </>
        ) : null}
        {proposal.act.orderId ? (
          <>
            {texts.order}{' '}
            <ObjectLink kind="order" id={proposal.act.orderId}>
              {proposal.act.orderId}
            </ObjectLink>{' '}
          </>
        ) : null}
        {proposal.act.customerId ? (
          <>
            {texts.customer}{' '}
            <ObjectLink kind="user" id={proposal.act.customerId}>
              {proposal.act.customerId}
            </ObjectLink>{' '}
          </>
        ) : null}
        {proposal.act.payoutId ? (
          <>
            <ObjectLink kind="payout" id={proposal.act.payoutId}>
              {texts.payout}
            </ObjectLink>{' '}
          </>
        ) : null}
        {detailOf(proposal)}
      </p>
      {proposal.act.lines?.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a proposal do not change
        <p key={index} className="tabular-nums wrap-anywhere">
          {debitAndCredit(line)} · {figure(line.amount)} {line.currency}
        </p>
      ))}
      <p className="wrap-anywhere">
        {texts.proposed(proposal.proposer)} <q>{proposal.reason}</q>
        {proposal.decider && proposal.decider !== proposal.proposer ? ` · ${proposal.decider}` : ''}
        {proposal.documentId ? (
          <>
            {' · '}
            <a
              href={`/api/admin/money/documents/${proposal.documentId}`}
              target="_blank"
              rel="noreferrer"
              className={textLink}
            >
              {texts.document}
            </a>
          </>
        ) : null}
      </p>
      {proposal.actions.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          <RowDecisions
            buttons={moneyAnswers}
            actions={proposal.actions}
            row={kind}
            dialog={(action, close) => (
              <ProposalDialog id={proposal.id} action={action} about={aboutOf(proposal)} onClose={close} />
            )}
          />
        </div>
      ) : null}
    </li>
  )
}
