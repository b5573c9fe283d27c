import { oneOf, text } from '@/lib/search'

/** The specification's statuses; 'all' is the absence of a filter, so it is not in the address. */
export const statusChoices = [
  'pending',
  'payment_approved',
  'fulfilling',
  'filled',
  'sent',
  'failed',
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
