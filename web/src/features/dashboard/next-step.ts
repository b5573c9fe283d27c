import type { Order } from '@/api/types.gen'
import type { User } from '@/lib/session'

/** An order with what its customer has to do. */
export type ActingOrder = Order & {
  action?: { kind: 'pay' | 'choose' | 'address' | 'identity'; deadline: string | null }
}

export type NextStep =
  | { kind: 'pay' | 'choose' | 'address' | 'identity'; order: ActingOrder; deadline: string | null }
  | { kind: 'verify' | 'retry' | 'reviewed' | 'buy' | 'nothing' }

/** A deadline that is nearer comes first; none comes last. */
const byDeadline = (a: ActingOrder, b: ActingOrder) =>
  (a.action?.deadline ?? '9').localeCompare(b.action?.deadline ?? '9')

/** The one thing to do now: what an order waits for, then the identity, then a first purchase. */
export function nextStepOf(
  user: Pick<User, 'kycStatus'>,
  open: readonly ActingOrder[],
  boughtBefore: boolean,
): NextStep {
  const waiting = open.filter(({ action }) => action).sort(byDeadline)[0]
  if (waiting?.action) return { ...waiting.action, order: waiting }
  if (user.kycStatus === 'rejected') return { kind: 'retry' }
  if (user.kycStatus === 'pending') return { kind: 'reviewed' }
  if (user.kycStatus !== 'verified') return { kind: 'verify' }
  return { kind: boughtBefore || open.length > 0 ? 'nothing' : 'buy' }
}
