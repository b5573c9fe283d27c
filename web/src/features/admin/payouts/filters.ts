import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const payoutStatuses = ['requested', 'approved', 'paid', 'rejected', 'cancelled', 'returned'] as const

export interface PayoutFilter extends QueueView {
  status?: (typeof payoutStatuses)[number] | 'all' | undefined
  q?: string | undefined
}

export function parsePayoutFilter(search: Record<string, unknown>): PayoutFilter {
  return {
    status: oneOf([...payoutStatuses, 'all'], search.status),
    q: text(search.q)?.slice(0, 100),
    cols: colsOf(search),
  }
}
