import type { AdminOrder } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { adminOrders as texts } from '@/messages/admin'
import type { OrderAction } from './order-decision'

interface OrderActionsProps {
  order: AdminOrder
  onDecide: (action: OrderAction) => void
}

const buttons: readonly { action: OrderAction; label: string; primary?: boolean }[] = [
  { action: 'fulfill', label: texts.fulfill, primary: true },
  { action: 'retry', label: texts.retry, primary: true },
  { action: 'resume', label: texts.resume, primary: true },
  { action: 'contest_dispute', label: texts.contest, primary: true },
  { action: 'accept_dispute', label: texts.accept },
  { action: 'amend_address', label: texts.amend },
  { action: 'mark_sent', label: texts.markSent },
  { action: 'hold', label: texts.hold },
  { action: 'refund', label: texts.refund },
]

/** A Fulfill button only for payment_approved orders (SPEC §2); the rest as the server says what this person may do. */
export function OrderActions({ order, onDecide }: OrderActionsProps) {
  const may = (action: OrderAction) =>
    order.actions.includes(action) || (action === 'refund' && order.actions.includes('refund_part'))
  if (order.decision) {
    return (
      <Button size="sm" disabled>
        {texts.working}
      </Button>
    )
  }
  const shown = buttons.filter(
    ({ action }) => may(action) && (action !== 'fulfill' || order.status === 'payment_approved'),
  )
  return shown.map(({ action, label, primary }) => (
    <Button key={action} size="sm" variant={primary ? 'default' : 'outline'} onClick={() => onDecide(action)}>
      {label}
      <span className="sr-only"> {order.reference}</span>
    </Button>
  ))
}
