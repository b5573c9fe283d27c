import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

/** The filters of the back office's lists, as they stand in the address; 'all' is the absence of one. */
export const paymentStatuses = ['waiting', 'pending', 'approved', 'declined'] as const

export interface PaymentFilter extends QueueView {
  /** Left out: what can be decided now. */
  status?: (typeof paymentStatuses)[number] | 'all' | undefined
  method?: string | undefined
}

export function parsePaymentFilter(search: Record<string, unknown>): PaymentFilter {
  return {
    status: oneOf([...paymentStatuses, 'all'], search.status),
    method: text(search.method)?.slice(0, 32),
    cols: colsOf(search),
  }
}
