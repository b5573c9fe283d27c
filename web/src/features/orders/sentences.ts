import type { Order, OrderEvent } from '@/api/types.gen'
import { isOrderStatus } from '@/components/status/status'
import { spaced } from '@/lib/format'
import { eventTexts, orders } from '@/messages/orders'

/** SPEC §4's description of an order's state, or how it ended. */
export function statusSentence(order: Pick<Order, 'status' | 'metadata'>): string {
  const { resolution } = order.metadata
  const ended = order.status === 'failed' && resolution ? orders.resolution[resolution] : undefined
  if (ended) return ended.title
  return orders.statusText[isOrderStatus(order.status) ? order.status : 'pending']
}

/** One event of the story in plain words. */
export function eventSentence(event: Pick<OrderEvent, 'kind'>): string {
  const known = eventTexts[event.kind]
  if (known) return known
  const words = spaced(event.kind)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
