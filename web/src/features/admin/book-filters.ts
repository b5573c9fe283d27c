import { oneOf, text } from '@/lib/search'

/** The filters of transactions, the ledger and the audit log, as they stand in the address. */
export const tradeTypes = ['order', 'gift_card', 'voucher', 'payout', 'refund'] as const
export const tradeStates = ['pending', 'payment_processing', 'completed', 'failed', 'cancelled'] as const
export const coins = ['BTC', 'ETH', 'USDT', 'USDC'] as const
export const currencies = ['USD', ...coins] as const

export interface TradeFilter {
  type?: (typeof tradeTypes)[number] | undefined
  state?: (typeof tradeStates)[number] | undefined
  asset?: (typeof coins)[number] | undefined
  rail?: string | undefined
  from?: string | undefined
  to?: string | undefined
  customer?: string | undefined
  q?: string | undefined
}

/** "2026-01-31", or nothing. */
function day(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined
}

export function parseTradeFilter(search: Record<string, unknown>): TradeFilter {
  return {
    type: oneOf(tradeTypes, search.type),
    state: oneOf(tradeStates, search.state),
    asset: oneOf(coins, search.asset),
    rail: text(search.rail)?.slice(0, 32),
    from: day(search.from),
    to: day(search.to),
    customer: text(search.customer)?.slice(0, 36),
    q: text(search.q)?.slice(0, 100),
  }
}

export interface LedgerMoment {
  /** A moment in UTC; absent is now. */
  at?: string | undefined
}

export function parseLedgerMoment(search: Record<string, unknown>): LedgerMoment {
  const at = text(search.at)
  return { at: at && !Number.isNaN(Date.parse(at)) ? at.slice(0, 40) : undefined }
}

export interface PostingFilter {
  account?: string | undefined
  currency?: (typeof currencies)[number] | undefined
  event?: string | undefined
  object?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export function parsePostingFilter(search: Record<string, unknown>): PostingFilter {
  return {
    account: text(search.account)?.slice(0, 80),
    currency: oneOf(currencies, search.currency),
    event: text(search.event)?.slice(0, 60),
    object: text(search.object)?.slice(0, 36),
    from: day(search.from),
    to: day(search.to),
  }
}

export interface AuditFilter {
  actor?: string | undefined
  action?: string | undefined
  kind?: string | undefined
  object?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export function parseAuditFilter(search: Record<string, unknown>): AuditFilter {
  return {
    actor: text(search.actor)?.slice(0, 36),
    action: text(search.action)?.slice(0, 60),
    kind: text(search.kind)?.slice(0, 60),
    object: text(search.object)?.slice(0, 100),
    from: day(search.from),
    to: day(search.to),
  }
}

export function isNarrowed(filter: object): boolean {
  return Object.values(filter).some(Boolean)
}

/** The server's file, under the same filters. */
export function fileHref(path: string, filter: object): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(filter)) if (value) query.set(key, value)
  const search = query.toString()
  return `/api/admin/${path}/export${search ? `?${search}` : ''}`
}
