import { type Asset, assets } from '@/api/lists.gen'
import { oneOf, text } from '@/lib/search'

/** specification §2's choices, and what else a row can show; 'all' is the absence of a filter, so it is not in the address. */
export const statusChoices = [
  'completed',
  'pending',
  'payment_processing',
  'failed',
  'cancelled',
  'refunded',
] as const
export const typeChoices = ['crypto_swap', 'gift_card', 'voucher'] as const

export interface TransactionFilter {
  q?: string | undefined
  status?: (typeof statusChoices)[number] | undefined
  type?: (typeof typeChoices)[number] | undefined
  crypto?: Asset | undefined
}

export function parseFilter(search: Record<string, unknown>): TransactionFilter {
  return {
    q: text(search.q)?.slice(0, 100),
    status: oneOf(statusChoices, search.status),
    type: oneOf(typeChoices, search.type),
    crypto: oneOf(assets, search.crypto),
  }
}

export function isFiltered(filter: TransactionFilter): boolean {
  return Boolean(filter.q || filter.status || filter.type || filter.crypto)
}
