import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import type { AdminOrder, OrderRisk as Found, RiskReview } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { messageOf } from '@/lib/http'
import { adminRisk as texts } from '@/messages/admin-risk'
import { orderReviewQuery } from '../risk/queries'
import { RiskActions, RiskReasons } from '../risk/risk-decision'

interface OrderRiskProps {
  order: AdminOrder
  risk: Found
}

/** What speaks against an order, and, while compliance has yet to decide, its decision. */
export function OrderRisk({ order, risk }: OrderRiskProps) {
  // A refused order stays marked permanently, so that its coin never leaves; it needs no further decision.
  const open = risk.underReview && order.status !== 'sent' && order.metadata.resolution === null
  const { data: review, error } = useQuery({ ...orderReviewQuery(order.id), enabled: open })
  const waits = open && review !== null
  return (
    <Notice
      tone={waits ? 'pending' : 'info'}
      icon={ShieldAlert}
      title={waits ? texts.underReview : texts.why}
    >
      <p>
        {texts.score} {risk.score}
      </p>
      <RiskReasons reasons={risk.reasons} className="mt-1" />
      {waits && error ? <p className="mt-2">{messageOf(error, texts.fetchFailed)}</p> : null}
      {waits && review ? <Decision review={review} /> : null}
    </Notice>
  )
}

function Decision({ review }: { review: RiskReview }) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      <RiskActions review={review} />
      {review.deciding ? <p>{texts.underWay}</p> : null}
      {review.actions.length === 0 && !review.deciding ? <p>{texts.readOnly}</p> : null}
    </div>
  )
}
