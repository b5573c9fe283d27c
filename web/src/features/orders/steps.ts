/** The order's five stored states as the steps a customer sees; the events of each state stand under its step. */
import type { OrderDetail, OrderEvent } from '@/api/types.gen'
import type { StepState } from '@/components/status/timeline'
import { orders } from '@/messages/orders'

export interface Step {
  key: string
  title: string
  state: StepState
  events: OrderEvent[]
}

const path = ['pending', 'payment_approved', 'fulfilling', 'filled', 'sent'] as const
type PathStatus = (typeof path)[number]

function isOnPath(status: string): status is PathStatus {
  return (path as readonly string[]).includes(status)
}

/** The last step of the path that the order reached. */
function reached(order: OrderDetail): number {
  if (isOnPath(order.status)) return path.indexOf(order.status)
  let furthest = 0
  for (const event of order.events) {
    if (isOnPath(event.status)) furthest = Math.max(furthest, path.indexOf(event.status))
  }
  return furthest
}

/** Single attempts are counted above the story, not told in it. */
const quiet = new Set(['attempt_failed'])

function stateAt(index: number, at: number, order: OrderDetail): StepState {
  if (index < at) return 'done'
  if (index > at) return 'next'
  if (order.status === 'failed') return order.metadata.resolution ? 'ended' : 'failed'
  if (order.status === 'sent') return 'done'
  // Waiting for a person: the customer's payment, or ours to accept and fulfil.
  return order.status === 'pending' || order.status === 'payment_approved' ? 'waiting' : 'current'
}

/** The steps of one order. A failed order stops at the step it failed in, and its end closes the list. */
export function stepsOf(order: OrderDetail): Step[] {
  const at = reached(order)
  const events = order.events.filter((event) => !quiet.has(event.kind))
  const shown = order.status === 'failed' && order.metadata.resolution ? path.slice(0, at + 1) : path
  return shown.map((status, index) => ({
    key: status,
    title: orders.steps[status],
    state: stateAt(index, at, order),
    events: events.filter((event) => event.status === status || (event.status === 'failed' && index === at)),
  }))
}
