/** An order as the three steps shown to its customer: paid, buying, sent. The log has all events. */
import type { OrderDetail } from '@/api/types.gen'
import type { StepState } from '@/components/status/timeline'
import { orders } from '@/messages/orders'
import { hasMoney, waitingWords } from './situation'

const keys = ['paid', 'buying', 'sent'] as const
type StepKey = (typeof keys)[number]

export interface Step {
  key: StepKey
  title: string
  state: StepState
  /** What happens in it now, or comes; nothing where that is not certain. */
  note?: string | undefined
  /** When it was done. */
  at?: string | undefined
}

const stepOf: Record<string, number> = {
  pending: 0,
  payment_approved: 1,
  fulfilling: 1,
  filled: 2,
  sent: 2,
}

/** The step that an order stands at; a failed one stands where it stopped. */
function standing(order: OrderDetail): number {
  if (order.status !== 'failed') return stepOf[order.status] ?? 0
  if (order.events.some((event) => event.kind === 'filled')) return 2
  return order.paidAt ? 1 : 0
}

const moneyGoesBack = new Set([
  'disputed',
  'refund_check',
  'refund_on_its_way',
  'refund_waits',
  'refunded_elsewhere',
])

/**
 * Whether the coin may never be sent: a dispute is open, or the money is refunded. Then no next step is
 * promised.
 */
export function isInDoubt(order: OrderDetail): boolean {
  return (
    (order.dispute !== null && order.dispute.status !== 'won') ||
    moneyGoesBack.has(order.attention?.reason ?? '') ||
    order.decision?.kind === 'refund' ||
    order.decision?.kind === 'refund_now' ||
    order.refunds.some((refund) => refund.status === 'requested' || refund.status === 'pending')
  )
}

function stateAt(index: number, at: number, order: OrderDetail): StepState {
  if (index < at) return 'done'
  if (index > at) return 'next'
  if (order.status === 'failed') return order.metadata.resolution ? 'ended' : 'failed'
  if (order.status === 'sent') return 'done'
  if (order.attention || isInDoubt(order)) return 'waiting'
  return order.status === 'pending' || order.status === 'payment_approved' ? 'waiting' : 'current'
}

function noteOf(key: StepKey, state: StepState, order: OrderDetail): string | undefined {
  const { notes } = orders
  if (state === 'done' || state === 'failed' || state === 'ended') return undefined
  if (order.status === 'failed' || isInDoubt(order)) return undefined
  if (key === 'paid') {
    if (order.attention && hasMoney(order)) return waitingWords(order.attention.reason).happened
    if (order.authorised) return notes.authorised
    return order.paymentMethod === 'card' ? notes.payByCard : notes.payByTransfer
  }
  if (order.attention) return undefined
  if (key === 'sent') return order.status === 'filled' ? notes.bought : notes.sent
  return order.status === 'fulfilling' ? notes.buying : order.paidAt ? notes.accepted : notes.ahead
}

/** The steps of one order. What is certain not to come, or in doubt, is left out. */
export function stepsOf(order: OrderDetail): Step[] {
  const at = standing(order)
  const over = order.status === 'failed' && order.metadata.resolution
  const shown = over || isInDoubt(order) ? keys.slice(0, order.status === 'filled' ? at : at + 1) : keys
  const bought = order.events.find((event) => event.kind === 'filled')
  const times = [order.paidAt, bought?.at, order.sentAt]
  return shown.map((key, index) => {
    const state = stateAt(index, at, order)
    return {
      key,
      title: state === 'done' ? orders.stepsDone[key] : orders.steps[key],
      state,
      note: noteOf(key, state, order),
      at: state === 'done' ? (times[index] ?? undefined) : undefined,
    }
  })
}
