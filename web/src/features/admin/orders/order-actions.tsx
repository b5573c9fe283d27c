import type { AdminOrder } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { adminOrders as texts } from '@/messages/admin-order'
import { allowed, type DecisionButton, lookOf } from '../shared/decision-buttons'
import { type Answer, answers } from './answers'
import type { OrderAction } from './order-decision'

interface OrderActionsProps {
  order: AdminOrder
  onDecide: (action: OrderAction) => void
}

/** F fulfils, or resumes what stopped. */
export const orderButtons: readonly DecisionButton<OrderAction>[] = [
  // The bank's deadline is before all else.
  { action: 'contest_dispute', label: texts.contest, weight: 'first' },
  { action: 'fulfill', label: texts.fulfill, weight: 'first', shortcut: 'f' },
  { action: 'retry', label: texts.retry, weight: 'first', shortcut: 'f' },
  { action: 'resume', label: texts.resume, weight: 'first', shortcut: 'f' },
  { action: 'accept_dispute', label: texts.accept, weight: 'danger' },
  { action: 'amend_address', label: texts.amend },
  { action: 'mark_sent', label: texts.markSent },
  { action: 'transfer_dead', label: texts.dead },
  { action: 'withdraw_coin_offer', label: texts.withdrawOffer },
  { action: 'hold', label: texts.hold, shortcut: 'h' },
  { action: 'refund', label: texts.refund, weight: 'danger', shortcut: 'r' },
]

/** Where custody refused the address of an order, another address helps; Retry is refused the same way. */
const addressRefused = orderButtons.map(
  (button): DecisionButton<OrderAction> =>
    button.action === 'retry'
      ? { action: button.action, label: button.label, shortcut: 'f' }
      : button.action === 'amend_address'
        ? { ...button, weight: 'first' }
        : button,
)

/** The buttons of an order, of which the first with that weight is what it waits for. */
export function orderButtonsOf({ attention }: Pick<AdminOrder, 'attention'>) {
  return attention?.reason === 'address_refused' ? addressRefused : orderButtons
}

/** In a row, the order's proposals are decided here too; elsewhere its notice has these buttons. */
export const orderRowButtons: readonly DecisionButton<OrderAction | Answer>[] = [...answers, ...orderButtons]

/** The same, of one order. */
export function orderRowButtonsOf(order: AdminOrder): readonly DecisionButton<OrderAction | Answer>[] {
  return [...answers, ...orderButtonsOf(order)]
}

/** The possible acts on an order, by its status and the server's answer. */
export function orderMay({ actions, status }: AdminOrder): readonly string[] {
  return [...actions, ...(actions.includes('refund_part') ? ['refund'] : [])].filter(
    (action) => action !== 'fulfill' || status === 'payment_approved',
  )
}

/**
 * A Fulfill button only for payment_approved orders (specification §2); the rest as the server says what this person may
 * do.
 */
export function OrderActions({ order, onDecide }: OrderActionsProps) {
  if (order.decision) {
    return (
      <Button size="sm" disabled>
        {texts.working}
      </Button>
    )
  }
  return (
    <>
      {allowed(orderButtonsOf(order), orderMay(order)).map(({ action, label, weight }) => (
        <Button key={action} size="sm" {...lookOf(weight)} onClick={() => onDecide(action)}>
          {label}
          <span className="sr-only"> {order.reference}</span>
        </Button>
      ))}
    </>
  )
}
