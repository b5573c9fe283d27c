import type { Order } from '@/api/types.gen'
import { isOrderStatus } from '@/components/status/status'
import { orders } from '@/messages/orders'

/** specification §4's description of an order's state, or how it ended. */
export function statusSentence(order: Pick<Order, 'status' | 'metadata' | 'authorised'>): string {
  const { resolution } = order.metadata
  const ended = order.status === 'failed' && resolution ? orders.ended[resolution] : undefined
  if (ended) return ended
  if (order.status === 'pending' && order.authorised) return orders.authorisedText
  return orders.statusText[isOrderStatus(order.status) ? order.status : 'pending']
}
