import { voucherCurrencies } from '@/api/lists.gen'
import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const voucherStates = [
  'waiting',
  'awaiting_approval',
  'active',
  'redeemed',
  'paid',
  'voided',
  'expired',
] as const

export interface VoucherFilter extends QueueView {
  /** Left out: what can be acted on now. */
  status?: (typeof voucherStates)[number] | 'all' | undefined
  currency?: (typeof voucherCurrencies)[number] | undefined
  batch?: string | undefined
  q?: string | undefined
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export function parseVoucherFilter(search: Record<string, unknown>): VoucherFilter {
  const batch = text(search.batch)
  return {
    status: oneOf([...voucherStates, 'all'], search.status),
    currency: oneOf(voucherCurrencies, search.currency),
    batch: batch && uuid.test(batch) ? batch : undefined,
    cols: colsOf(search),
    q: text(search.q)?.slice(0, 100),
  }
}

/** A batch's page shows its own vouchers, of one state or of all. */
export interface BatchFilter {
  status?: (typeof voucherStates)[number] | undefined
}

export function parseBatchFilter(search: Record<string, unknown>): BatchFilter {
  return { status: oneOf(voucherStates, search.status) }
}
