import { UsersRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AdminOrder, OrderProposal, WaitingProposal } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { FullAddress } from '@/components/money/full-address'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { crypto, shortTime, usd } from '@/lib/format'
import { adminOrder, adminOrders } from '@/messages/admin-order'
import { proposals as texts } from '@/messages/admin-proposals'
import { useSeen, WhatChanged } from '../approvals/seen'
import { calendarDay } from '../shared/calendar-day'
import { RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { decisions, orderKeys } from '../shared/order-decisions'
import { useDecision } from '../shared/use-decision'
import { type Answer, answers } from './answers'

interface ProposalProps {
  order: AdminOrder
  proposal: WaitingProposal
  /** Its keys act on the page or in the drawer. */
  keyed?: boolean
}

/** The proposals that wait for a second admin, and the buttons of those who may decide them. */
export function ProposalNotice({ order, proposal, keyed = false }: ProposalProps) {
  const may = (answer: Answer) => order.actions.includes(answer)
  return (
    <Notice tone="pending" icon={UsersRound} title={texts.waiting[proposal.kind](usd(proposal.amount))}>
      <p>
        {texts.by(proposal.proposer)} · {adminOrder.since(shortTime(proposal.createdAt))}. {texts.still}
      </p>
      {proposal.reason ? <p className="mt-1">“{proposal.reason}”</p> : null}
      <Evidence order={order} proposal={proposal} />
      {may('approve_proposal') ? null : (
        <p className="mt-1">{may('withdraw_proposal') ? texts.mine : texts.theirs}</p>
      )}
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        <RowDecisions
          buttons={answers}
          actions={order.actions}
          row={order.reference}
          keyed={keyed}
          dialog={(answer, close) => (
            <ProposalAnswer order={order} proposal={proposal} answer={answer} onClose={close} />
          )}
        />
      </div>
    </Notice>
  )
}

const done: Record<Answer, string> = {
  approve_proposal: texts.approved,
  reject_proposal: texts.rejected,
  withdraw_proposal: texts.withdrawn,
}

interface ProposalAnswerProps extends ProposalProps {
  answer: Answer
  onClose: () => void
}

/** The decision names the id of the proposal that was shown. */
export function ProposalAnswer({ order, proposal, answer, onClose }: ProposalAnswerProps) {
  const approves = answer === 'approve_proposal'
  const seen = useSeen('order_proposal', proposal.id, approves)
  const decision = useDecision(
    (why: string) =>
      approves
        ? decisions.approve_proposal(order.id, proposal.id, seen.version)
        : decisions.reject_proposal(order.id, proposal.id, why),
    { done: done[answer], failed: texts.failed, failedText: texts.failedText },
    orderKeys,
    onClose,
  )
  return (
    <DecisionDialog
      {...wordsOf(order, proposal, answer)}
      confirm={answers.find(({ action }) => action === answer)?.label ?? ''}
      destructive={approves && proposal.kind === 'refund'}
      incomplete={seen.incomplete}
      {...(approves
        ? {}
        : { reason: { label: adminOrders.reason, placeholder: adminOrders.reasonPlaceholder } })}
      decision={decision}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decision.error} />
      {approves ? null : (
        <>
          <p className="text-sm text-muted-foreground">{texts.by(proposal.proposer)}</p>
          {proposal.reason ? <p className="mb-4 text-sm wrap-anywhere">“{proposal.reason}”</p> : null}
          <Evidence order={order} proposal={proposal} />
        </>
      )}
    </DecisionDialog>
  )
}

/**
 * What a second admin checks: the line on the bank statement, the coin's destination, or the evidence of a
 * dead transfer.
 */
function Evidence({ order, proposal }: ProposalProps) {
  return (
    <div className="mb-2 text-sm empty:hidden">
      {proposal.bankReference ? (
        <p>
          {texts.reference}: {proposal.bankReference} · {calendarDay(proposal.receivedOn)}
        </p>
      ) : null}
      {proposal.evidence ? (
        <p className="wrap-anywhere">
          {texts.seen}: {proposal.evidence}
        </p>
      ) : null}
      {proposal.destAddress ? (
        <>
          <p className="text-muted-foreground">{texts.address}</p>
          <FullAddress address={proposal.destAddress} network={order.network} />
        </>
      ) : null}
    </div>
  )
}

/** Each dialog repeats the amount and the customer. */
function wordsOf(order: AdminOrder, { kind, amount }: WaitingProposal, answer: Answer) {
  const money = usd(amount)
  const what =
    kind === 'refund' || kind === 'confirm_receipt'
      ? money
      : `${crypto(order.amountAsset)} ${order.asset} (${money})`
  if (answer === 'approve_proposal')
    return { title: texts.approveTitle[kind], text: texts.approveText[kind](what, order.customerEmail) }
  return {
    title: answer === 'reject_proposal' ? texts.rejectTitle : texts.withdrawTitle,
    text: texts.endText(money, order.customerEmail),
  }
}

/** What was proposed about an order and what came of it, newest first. */
export function Proposals({ proposals }: { proposals: readonly OrderProposal[] }) {
  return (
    <ul className="divide-y text-sm md:text-dense">
      {proposals.toReversed().map((proposal) => (
        <li key={proposal.id} className="space-y-1 py-3 first:pt-0 last:pb-0 wrap-anywhere">
          <Line at={proposal.createdAt} who={proposal.proposer}>
            <span className="font-medium">
              {texts.kinds[proposal.kind]} · {usd(proposal.amount)}
            </span>
          </Line>
          {proposal.reason ? <p>{proposal.reason}</p> : null}
          {proposal.txid ? <Copyable text={proposal.txid} what={texts.evidence} /> : null}
          {proposal.bankReference ? (
            <p>{`${proposal.bankReference} · ${calendarDay(proposal.receivedOn)}`}</p>
          ) : null}
          {proposal.destAddress ? <Copyable text={proposal.destAddress} what={texts.address} /> : null}
          {proposal.evidence ? <p>{proposal.evidence}</p> : null}
          <Line at={proposal.decidedAt} who={proposal.decider}>
            {texts.outcomes[proposal.status]}
          </Line>
          {proposal.answer ? <p>{proposal.answer}</p> : null}
        </li>
      ))}
    </ul>
  )
}

function Line({ children, at, who }: { children: ReactNode; at: string | null; who: string }) {
  return (
    <p className="flex flex-wrap justify-between gap-x-4">
      <span>{children}</span>
      {at ? (
        <span className="text-muted-foreground">
          {who ? `${who} · ` : ''}
          <Time at={at} />
        </span>
      ) : null}
    </p>
  )
}
