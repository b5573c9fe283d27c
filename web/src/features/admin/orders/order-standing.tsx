import type { AdminOrder } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder } from '@/components/status/status'
import { spaced, usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { attentionTexts, adminOrders as texts } from '@/messages/admin-order'
import { proposals } from '@/messages/admin-proposals'
import { Cost } from '../shared/queue-cells'
import { retryingText } from './attempt'

/** What an order costs, and how much of it came while that does not fit. */
export function OrderCost({ order }: { order: AdminOrder }) {
  const misfit = order.attention?.reason.startsWith('money_')
  return <Cost amount={order.quoteFiat} received={misfit ? order.received : null} />
}

/** A badge that ends in dots where its column does, or on a phone before the row's acts. */
const ending =
  'inline-block max-w-full truncate align-middle [&>svg]:mr-1.5 [&>svg]:inline [&>svg]:align-[-0.15em]'

/** The most important fact of an order: what it waits for, before its status. */
export function Standing({ order }: { order: AdminOrder }) {
  if (order.proposal) return <StatusBadge look={{ label: proposals.badge, tone: 'pending' }} />
  if (order.attention) {
    const label = attentionTexts[order.attention.reason]?.title ?? spaced(order.attention.reason)
    return (
      <span title={label}>
        <StatusBadge look={{ label, tone: 'pending' }} className={ending} />
      </span>
    )
  }
  if (order.held) return <StatusBadge look={{ label: texts.held, tone: 'pending' }} />
  if (order.status === 'sent' && isPositive(order.refunded))
    return <StatusBadge look={{ label: texts.refundedOf(usd(order.refunded)), tone: 'neutral' }} />
  const retrying = retryingText(order)
  if (retrying) return <StatusBadge look={{ label: retrying, tone: 'pending' }} />
  return <StatusBadge look={lookOfOrder(order)} />
}
