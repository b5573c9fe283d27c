import { oneOf, text } from '@/lib/search'
import { currencies, day } from '../shared/book'

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
