import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminPayout } from '@/api/types.gen'
import { usd } from '@/lib/format'
import { compare } from '@/lib/money'
import { adminPayouts as texts } from '@/messages/admin-payouts'
import { reasonPresets } from '@/messages/admin-queue'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { moneyKey } from '../money/queries'
import type { DecisionButton } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { ReferenceField } from '../shared/reference-field'
import { StatementField } from '../shared/restored-notice'
import { TakesTwo } from '../shared/takes-two'
import { useDecision } from '../shared/use-decision'
import { adminPayoutQuery, type PayoutAction, payoutDecisions, whatItIs } from './queries'

/** What can be decided about a payout. */
export const payoutButtons: readonly DecisionButton<PayoutAction>[] = [
  { action: 'approve', label: texts.approve, weight: 'first', shortcut: 'a' },
  { action: 'confirm', label: texts.confirm, weight: 'first', shortcut: 'p' },
  { action: 'return', label: texts.return, weight: 'danger', shortcut: 'b' },
  { action: 'reject', label: texts.reject, weight: 'danger', shortcut: 'r' },
]

interface PayoutDecisionProps {
  payout: AdminPayout
  action: PayoutAction
  onClose: () => void
}

/** What each dialog says; the amount, the customer and the account are repeated in all of them. */
function wordsOf({ approvals, approvalsNeeded }: AdminPayout, action: PayoutAction) {
  const reason = { label: texts.rejectReason, placeholder: texts.rejectPlaceholder }
  switch (action) {
    case 'approve':
      return {
        title: texts.approveTitle,
        text: approvalsNeeded - approvals > 1 ? texts.approveFirstText : texts.approveText,
        done: texts.approved,
      }
    case 'reject':
      return {
        title: texts.rejectTitle,
        text: texts.rejectText,
        done: texts.rejected,
        reason: { ...reason, presets: reasonPresets.payout },
      }
    case 'confirm':
      return { title: texts.confirmTitle, text: texts.confirmText, done: texts.confirmed }
    case 'return':
      return {
        title: texts.returnTitle,
        text: texts.returnText,
        done: texts.returned,
        reason: { ...reason, placeholder: texts.returnPlaceholder },
      }
  }
}

/** The dialog of one decision about one payout. */
export function PayoutDecision({ payout, action, onClose }: PayoutDecisionProps) {
  const [reference, setReference] = useState('')
  const [came, setCame] = useState('')
  const [statement, setStatement] = useState('')
  const confirms = action === 'confirm'
  const words = wordsOf(payout, action)
  const readsStatement = payout.restored && (action === 'reject' || action === 'approve')
  const mustState = readsStatement && (action === 'reject' || payout.status === 'unconfirmed')
  const completes = action === 'approve' && payout.approvals > 0
  const seen = useSeen('payout', payout.id, completes)
  const decide = useDecision(
    (reason) =>
      payoutDecisions[action](payout.id, {
        said: confirms ? reference.trim() : reason,
        returned: came.trim(),
        statement: statement.trim(),
        version: seen.version,
      }),
    { done: words.done, failed: texts.failed, failedText: texts.failedText },
    [['admin-payouts'], approvalsKey, moneyKey],
    onClose,
  )
  return (
    <DecisionDialog
      title={words.title}
      text={words.text(whatItIs(payout))}
      confirm={texts[action]}
      destructive={action === 'reject' || action === 'return'}
      {...(words.reason ? { reason: words.reason } : {})}
      incomplete={
        seen.incomplete || (confirms && reference.trim() === '') || (mustState && statement.trim() === '')
      }
      decision={decide}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
      {confirms ? (
        <ReferenceField
          id="bank-reference"
          label={texts.confirmField}
          hint={texts.confirmHint}
          value={reference}
          onChange={setReference}
        />
      ) : null}
      {readsStatement ? (
        <StatementField id={`${action}-statement`} value={statement} onChange={setStatement} />
      ) : null}
      {action === 'return' ? (
        <>
          <ReturnTakesTwo payout={payout} />
          <ReferenceField
            id="returned"
            label={texts.returnField}
            hint={texts.returnHint}
            value={came}
            onChange={setCame}
          />
        </>
      ) : null}
    </DecisionDialog>
  )
}

/** Shown where the return credits more than one admin may alone. */
function ReturnTakesTwo({ payout: { id, amount } }: { payout: AdminPayout }) {
  const left = useQuery(adminPayoutQuery(id)).data?.creditAlone
  return left && compare(amount, left) > 0 ? <TakesTwo>{texts.returnTakesTwo(usd(left))}</TakesTwo> : null
}
