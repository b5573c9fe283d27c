import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReconciliationBreak } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Select } from '@/components/ui/input'
import { figure, usd } from '@/lib/format'
import { adminLedger } from '@/messages/admin-books'
import { effectKinds, adminReconciliation as texts } from '@/messages/admin-reconciliation'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { useAct } from '../shared/use-act'
import { type BreakAction, decideBreak, reconciliationKey, reconciliationQuery } from './queries'

/** What can be decided about a break. */
export const breakButtons: readonly DecisionButton<BreakAction>[] = [
  { action: 'approve', label: texts.actions.approve, weight: 'first', shortcut: 'a' },
  { action: 'resolve', label: texts.actions.resolve, weight: 'first', shortcut: 'b' },
  { action: 'end', label: texts.actions.end, weight: 'first', shortcut: 'e' },
  { action: 'reject', label: texts.actions.reject, weight: 'danger', shortcut: 'r' },
  { action: 'withdraw', label: texts.actions.withdraw, shortcut: 'w' },
]

interface BreakActionsProps {
  found: ReconciliationBreak
}

/** The decisions on a break, and their dialogs. */
export function BreakActions({ found }: BreakActionsProps) {
  return (
    <RowDecisions
      buttons={breakButtons}
      actions={found.actions}
      row={found.subject}
      dialog={(action, close) => <BreakDecision found={found} action={action} onClose={close} />}
    />
  )
}

interface BreakDecisionProps extends BreakActionsProps {
  action: BreakAction
  onClose: () => void
}

/** The dialog of one decision about a break. */
export function BreakDecision({ found, action, onClose }: BreakDecisionProps) {
  const stands = useQuery(reconciliationQuery)
  const [account, setAccount] = useState('')
  const seen = useSeen('break', found.id, action === 'approve')
  const decide = useAct((reason) => decideBreak(found, action, account, reason, seen.version), {
    said: ({ waiting }) => ({ title: waiting ? texts.done.proposed : texts.done[action] }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [reconciliationKey, approvalsKey],
    onDone: onClose,
  })
  const words = texts.dialogs[action]
  return (
    <DecisionDialog
      title={words.title}
      text={`${effectKinds[found.kind] ?? found.kind} · ${figure(found.difference)} ${found.currency} · ${texts.holders[found.holder]}. ${words.text}${action === 'resolve' && found.opposite ? ` ${texts.opposite}` : ''}`}
      confirm={texts.actions[action]}
      destructive={action === 'reject'}
      {...(action === 'approve'
        ? {}
        : { reason: { label: texts.reason, placeholder: texts.reasonPlaceholder } })}
      incomplete={seen.incomplete || (action === 'resolve' && account === '')}
      decision={decide}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
      {action === 'resolve' ? (
        <div className="mb-4">
          <Field
            id="break-account"
            label={texts.account}
            hint={`${texts.accountHint} ${stands.data ? texts.twoAbove(usd(stands.data.twoAbove)) : ''}`}
          >
            {(field) => (
              <Select
                {...field}
                required
                value={account}
                onChange={(event) => setAccount(event.target.value)}
              >
                <option value="" disabled>
                  {texts.choose}
                </option>
                {found.accounts.map((code) => (
                  <option key={code} value={code}>
                    {adminLedger.accounts[code] ?? code}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
      ) : null}
    </DecisionDialog>
  )
}
