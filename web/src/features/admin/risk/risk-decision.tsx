import type { RiskReview } from '@/api/types.gen'
import { cn } from '@/lib/cn'
import { usd } from '@/lib/format'
import { admin } from '@/messages/admin'
import { proposals } from '@/messages/admin-proposals'
import { reasonPresets } from '@/messages/admin-queue'
import { riskReasons, adminRisk as texts } from '@/messages/admin-risk'
import { approvalsKey } from '../approvals/approval-query'
import { useSeen, WhatChanged } from '../approvals/seen'
import { type DecisionButton, RowDecisions } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { orderKeys } from '../shared/order-decisions'
import { TakesTwo } from '../shared/takes-two'
import { useAct } from '../shared/use-act'
import { type RiskAction, riskDecisions, riskKey } from './queries'

interface RiskReasonsProps {
  reasons: RiskReview['reasons']
  className?: string
}

/** The risk signals of an order as text. */
export function RiskReasons({ reasons, className }: RiskReasonsProps) {
  return (
    <ul className={cn('list-disc space-y-1 pl-5', className)}>
      {reasons.map((reason) => (
        <li key={reason}>{riskReasons[reason]}</li>
      ))}
    </ul>
  )
}

/** What can be decided about a review. */
export const riskButtons: readonly DecisionButton<RiskAction>[] = [
  { action: 'release', label: texts.actions.release, weight: 'first', shortcut: 'a' },
  { action: 'refuse', label: texts.actions.refuse, weight: 'danger', shortcut: 'r' },
]

const presets = { release: reasonPresets.riskRelease, refuse: reasonPresets.riskRefuse } as const

interface RiskActionsProps {
  review: RiskReview
}

/** The decisions on a review, and their dialogs. */
export function RiskActions({ review }: RiskActionsProps) {
  return (
    <RowDecisions
      buttons={riskButtons}
      actions={review.actions}
      row={review.reference}
      dialog={(action, close) => <RiskDecision review={review} action={action} onClose={close} />}
    />
  )
}

interface DecideProps extends RiskActionsProps {
  action: RiskAction
  onClose: () => void
}

/** The text of a decision that is still being executed. */
const toldBy: Record<string, string> = {
  working: admin.underWay,
  proposed: admin.proposed,
}

/** The dialog of one decision about a review. */
export function RiskDecision({ review, action, onClose }: DecideProps) {
  const seen = useSeen('risk_release', review.id, action === 'release' && Boolean(review.firstBy))
  const decide = useAct((reason) => riskDecisions[action](review.id, reason, seen.version), {
    said: ({ state }) => ({ title: toldBy[state] ?? texts.done[action] }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [riskKey, approvalsKey, ...orderKeys],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={texts.dialogs[action].title}
      text={`${review.reference} · ${usd(review.total)} · ${review.customerEmail}. ${texts.dialogs[action].text}`}
      confirm={texts.actions[action]}
      destructive={action === 'refuse'}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder, presets: presets[action] }}
      incomplete={seen.incomplete}
      decision={decide}
      onClose={onClose}
    >
      {seen.facts}
      <WhatChanged error={decide.error} />
      {action === 'release' ? (
        <TakesTwo>
          {review.firstBy
            ? proposals.firstRelease(review.firstBy)
            : proposals.limitRelease(usd(review.twoAbove))}
        </TakesTwo>
      ) : null}
    </DecisionDialog>
  )
}
