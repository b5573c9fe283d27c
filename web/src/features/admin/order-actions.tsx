import type { AdminOrder } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { adminOrders as texts } from '@/messages/admin'
import { lookOf } from './decision-buttons'
import type { OrderAction } from './order-decision'

interface OrderActionsProps {
  order: AdminOrder
  onDecide: (action: OrderAction) => void
}

const buttons: readonly { action: OrderAction; label: string; weight?: 'first' | 'danger' }[] = [
  { action: 'fulfill', label: texts.fulfill, weight: 'first' },
  { action: 'retry', label: texts.retry, weight: 'first' },
  { action: 'resume', label: texts.resume, weight: 'first' },
  { action: 'contest_dispute', label: texts.contest, weight: 'first' },
  { action: 'accept_dispute', label: texts.accept, weight: 'danger' },
  { action: 'amend_address', label: texts.amend },
  { action: 'mark_sent', label: texts.markSent },
  { action: 'hold', label: texts.hold },
  { action: 'refund', label: texts.refund, weight: 'danger' },
]

/** What somebody can do about an order, as its status and the server say. */
export function orderButtons(order: AdminOrder) {
  const may = (action: OrderAction) =>
    order.actions.includes(action) || (action === 'refund' && order.actions.includes('refund_part'))
  return buttons.filter(
    ({ action }) => may(action) && (action !== 'fulfill' || order.status === 'payment_approved'),
  )
}

/** A Fulfill button only for payment_approved orders (SPEC §2); the rest as the server says what this person may do. */
export function OrderActions({ order, onDecide }: OrderActionsProps) {
  if (order.decision) {
    return (
      <Button size="sm" disabled>
        {texts.working}
      </Button>
    )
  }
  return orderButtons(order).map(({ action, label, weight }) => (
    <Button key={action} size="sm" {...lookOf(weight)} onClick={() => onDecide(action)}>
      {label}
      <span className="sr-only"> {order.reference}</span>
    </Button>
  ))
}
