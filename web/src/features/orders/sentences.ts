import type { Order } from '@/api/types.gen'
import { isOrderStatus } from '@/components/status/status'
import { dashboard } from '@/messages/dashboard'
import { orders } from '@/messages/orders'

/** specification §4's description of an order's state, or how it ended, or what it waits for its customer to do. */
export function statusSentence(order: Pick<Order, 'status' | 'metadata' | 'authorised' | 'action'>): string {
  if (order.action)
    return order.action.kind === 'pay' ? orders.unpaid : dashboard.steps[order.action.kind].title
  const { resolution } = order.metadata
  const ended = order.status === 'failed' && resolution ? orders.ended[resolution] : undefined
  if (ended) return ended
  if (order.status === 'pending' && order.authorised) return orders.authorisedText
  return orders.statusText[isOrderStatus(order.status) ? order.status : 'pending']
}
