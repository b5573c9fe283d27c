import { assets } from '@/api/lists.gen'
import { oneOf, text } from '@/lib/search'
import { day } from '../shared/book'

/** The filters of transactions, the ledger and the audit log, as they stand in the address. */
export const tradeTypes = ['order', 'gift_card', 'voucher', 'payout', 'refund'] as const

export const tradeStates = ['pending', 'payment_processing', 'completed', 'failed', 'cancelled'] as const

export interface TradeFilter {
  type?: (typeof tradeTypes)[number] | undefined
  state?: (typeof tradeStates)[number] | undefined
  asset?: (typeof assets)[number] | undefined
  rail?: string | undefined
  from?: string | undefined
  to?: string | undefined
  customer?: string | undefined
  q?: string | undefined
}

export function parseTradeFilter(search: Record<string, unknown>): TradeFilter {
  return {
    type: oneOf(tradeTypes, search.type),
    state: oneOf(tradeStates, search.state),
    asset: oneOf(assets, search.asset),
    rail: text(search.rail)?.slice(0, 32),
    from: day(search.from),
    to: day(search.to),
    customer: text(search.customer)?.slice(0, 36),
    q: text(search.q)?.slice(0, 100),
  }
}
