import type { Order } from '@/api/types.gen'
import type { User } from '@/lib/session'

type OrderAction = NonNullable<Order['action']>

export type NextStep =
  | { kind: OrderAction['kind']; order: Order; deadline: string | null }
  | { kind: NonNullable<User['hold']> | 'verify' | 'retry' | 'refused' | 'reviewed' | 'buy' | 'nothing' }

/**
 * The one thing to do now: what a hold leaves, what an order waits for (the first of `actions`), then the
 * identity, then a first purchase. Nothing is shown before its data is loaded; an unverified customer has,
 * with rare exceptions, no order that waits. `refused`: the identity is, and cannot be shown again.
 */
export function nextStepOf(
  { hold, kycStatus }: Pick<User, 'hold' | 'kycStatus'>,
  actions: readonly Order[] | undefined,
  boughtBefore: boolean | undefined,
  refused = false,
): NextStep | undefined {
  if (hold === 'frozen') return { kind: hold }
  if (!actions && (hold || kycStatus === 'verified')) return undefined
  const [first] = actions ?? []
  if (first?.action) return { ...first.action, order: first }
  if (hold) return { kind: hold }
  if (kycStatus === 'rejected') return { kind: refused ? 'refused' : 'retry' }
  if (kycStatus === 'pending') return { kind: 'reviewed' }
  if (kycStatus !== 'verified') return { kind: 'verify' }
  return boughtBefore === undefined ? undefined : { kind: boughtBefore ? 'nothing' : 'buy' }
}
