import type { MoneyProposal } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { textLink } from '@/components/ui/text-link'
import { figure, usd } from '@/lib/format'
import { adminMoney as texts } from '@/messages/admin-money'
import { debitAndCredit } from '../shared/account-name'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { ObjectLink } from '../shared/object-link'
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
    act.takenBack && texts.takenBack(usd(act.takenBack)),
    act.paidAgain && texts.paidAgain(usd(act.paidAgain)),
    act.bankReference,
    act.on,
    act.code,
    act.evidence,
    act.statement,
    act.kept && texts.kept,
  ]
    .filter(Boolean)
    .join(' · ')
}

const aboutOf = (proposal: MoneyProposal) =>
  [texts.kinds[proposal.kind], proposal.reference, detailOf(proposal)].filter(Boolean).join(' · ')

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
        {proposal.act.cardId ? (
          <>
            <ObjectLink kind="gift_card" id={proposal.act.cardId}>
              {texts.giftCard}
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
