import { oneOf, text } from '@/lib/search'

/** Each state that a row can show; 'all' is the absence of a filter, so it is not in the address. */
export const statusChoices = [
  'action',
  'pending',
  'authorised',
  'payment_approved',
  'fulfilling',
  'filled',
  'sent',
  'failed',
  'declined',
  'cancelled',
  'expired',
  'refunded',
] as const

export interface OrdersFilter {
  q?: string | undefined
  status?: (typeof statusChoices)[number] | undefined
}

export function parseFilter(search: Record<string, unknown>): OrdersFilter {
  return { q: text(search.q)?.slice(0, 100), status: oneOf(statusChoices, search.status) }
}

export function isFiltered(filter: OrdersFilter): boolean {
  return Boolean(filter.q || filter.status)
}
