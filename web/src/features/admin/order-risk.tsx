import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import type { OrderRisk as Found } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { messageOf } from '@/lib/http'
import { adminRisk as texts } from '@/messages/admin-risk'
import { RiskActions, RiskReasons } from './risk-decision'
import { orderReviewQuery } from './risk-queries'

interface OrderRiskProps {
  orderId: string
  risk: Found
}

/** What speaks against an order, and, while compliance has yet to decide, its decision. */
export function OrderRisk({ orderId, risk }: OrderRiskProps) {
  return (
    <Notice
      tone={risk.underReview ? 'pending' : 'info'}
      icon={ShieldAlert}
      title={risk.underReview ? texts.underReview : texts.why}
    >
      <p>
        {texts.score} {risk.score}
      </p>
      <RiskReasons reasons={risk.reasons} className="mt-1" />
      {risk.underReview ? <Review orderId={orderId} /> : null}
    </Notice>
  )
}

function Review({ orderId }: { orderId: string }) {
  const { data: review, error } = useQuery(orderReviewQuery(orderId))
  if (error) return <p className="mt-2">{messageOf(error, texts.fetchFailed)}</p>
  if (!review) return null
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      <RiskActions review={review} />
      {review.deciding ? <p>{texts.underWay}</p> : null}
      {review.actions.length === 0 && !review.deciding ? <p>{texts.readOnly}</p> : null}
    </div>
  )
}
