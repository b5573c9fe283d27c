import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const giftCardStatuses = [
  'received',
  'in_review',
  'offered',
  'approved',
  'realised',
  'rejected',
  'declined',
  'expired',
] as const

export interface GiftCardFilter extends QueueView {
  status?: (typeof giftCardStatuses)[number] | 'all' | undefined
  q?: string | undefined
}

export function parseGiftCardFilter(search: Record<string, unknown>): GiftCardFilter {
  return {
    status: oneOf([...giftCardStatuses, 'all'], search.status),
    q: text(search.q)?.slice(0, 100),
    cols: colsOf(search),
  }
}

/**
 * Cases that wait for a decision: there one leads to the next. Elsewhere the page stays, so that a second
 * press cannot decide another case.
 */
export const waitingCards: readonly GiftCardFilter['status'][] = [undefined, 'in_review', 'approved']
