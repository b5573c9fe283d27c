import type { NewOrder, Order } from '@/api/types.gen'
import { dropDraft, keepDraft, readDraft } from '@/lib/drafts'
import { compare } from '@/lib/money'

/**
 * An order that was sent and not answered: it may have been created. It is stored with its key before it is
 * sent, so that the next press, also after a reload, asks about this order instead of creating a second one.
 */
export interface Unanswered {
  key: string
  order: NewOrder
}

const FORM = 'buy:unanswered'
const empty = { key: '', order: '' }

export function rememberSent(userId: string, { key, order }: Unanswered): void {
  keepDraft(userId, FORM, { key, order: JSON.stringify(order) }, { empty })
}

export function forgetSent(userId: string): void {
  dropDraft(userId, FORM)
}

/** The order without an answer, if it is for the same: another price for it does not make it another purchase. */
export function unansweredLike(userId: string, wanted: Purchased): Unanswered | undefined {
  const { key, order } = readDraft(userId, FORM)?.values ?? {}
  if (typeof key !== 'string' || typeof order !== 'string') return undefined
  try {
    const sent = JSON.parse(order) as NewOrder
    return isSame(sent, wanted) && sent.paymentMethod === wanted.paymentMethod
      ? { key, order: sent }
      : undefined
  } catch {
    return undefined
  }
}

/** What is bought, and its destination. */
export type Purchased = Pick<NewOrder, 'asset' | 'amountAsset' | 'destAddress' | 'paymentMethod'>

function isSame(one: Omit<Purchased, 'paymentMethod'>, other: Omit<Purchased, 'paymentMethod'>): boolean {
  return (
    one.asset === other.asset &&
    one.destAddress.toLowerCase() === other.destAddress.toLowerCase() &&
    compare(one.amountAsset, other.amountAsset) === 0
  )
}

/** For how long a paid order counts as the purchase that the customer wants to make now. */
const RECENT_MS = 30 * 60_000

type Made = Pick<Order, 'asset' | 'amountAsset' | 'destAddress' | 'status' | 'paymentDueAt' | 'createdAt'>

/** An order there already is for the same: not paid yet, or made just now. */
export function twinOf<T extends Made>(orders: readonly T[], wanted: Purchased, now: number): T | undefined {
  return orders.find((order) => {
    if (order.status === 'failed' || !isSame(order, wanted)) return false
    const payable = order.status === 'pending' && Date.parse(order.paymentDueAt) > now
    return payable || now - Date.parse(order.createdAt) < RECENT_MS
  })
}
