import { useState } from 'react'
import type { RiskReview } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { usd } from '@/lib/format'
import { adminPayments } from '@/messages/admin'
import { riskReasons, adminRisk as texts } from '@/messages/admin-risk'
import { DecisionDialog } from './decision-dialog'
import { orderKeys } from './queries'
import { type RiskAction, riskDecisions, riskKey } from './risk-queries'
import { useAct } from './use-act'

interface RiskReasonsProps {
  reasons: RiskReview['reasons']
  className?: string
}

/** What speaks against an order, in words. */
export function RiskReasons({ reasons, className }: RiskReasonsProps) {
  return (
    <ul className={cn('list-disc space-y-1 pl-5', className)}>
      {reasons.map((reason) => (
        <li key={reason}>{riskReasons[reason]}</li>
      ))}
    </ul>
  )
}

interface RiskActionsProps {
  review: RiskReview
}

/** The buttons somebody has on a review, and their dialogs. */
export function RiskActions({ review }: RiskActionsProps) {
  const [action, setAction] = useState<RiskAction>()
  return (
    <>
      {(review.actions as RiskAction[]).map((name) => (
        <Button
          key={name}
          variant={name === 'release' ? 'default' : 'outline'}
          size="sm"
          onClick={() => setAction(name)}
        >
          {texts.actions[name]}
          <span className="sr-only"> {review.reference}</span>
        </Button>
      ))}
      {action ? <Decide review={review} action={action} onClose={() => setAction(undefined)} /> : null}
    </>
  )
}

interface DecideProps extends RiskActionsProps {
  action: RiskAction
  onClose: () => void
}

/** What is said of a decision that is not done yet. */
const toldBy: Record<string, string> = {
  working: adminPayments.underWay,
  proposed: adminPayments.proposed,
}

function Decide({ review, action, onClose }: DecideProps) {
  const decide = useAct((reason) => riskDecisions[action](review.id, reason), {
    said: ({ state }) => ({ title: toldBy[state] ?? texts.done[action] }),
    failed: texts.failed,
    failedText: texts.failedText,
    changes: [riskKey, ...orderKeys],
    onDone: onClose,
  })
  return (
    <DecisionDialog
      title={texts.dialogs[action].title}
      text={`${review.reference} · ${usd(review.total)} · ${review.customerEmail}. ${texts.dialogs[action].text}`}
      confirm={texts.actions[action]}
      destructive={action === 'refuse'}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={decide}
      onClose={onClose}
    />
  )
}
