import { oneOf } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const moneyViews = ['open', 'placed', 'credited', 'sent_back'] as const

/** Where money that belonged to no order stands: left out, it waits. */
export interface MoneyFilter extends QueueView {
  view?: Exclude<(typeof moneyViews)[number], 'open'> | undefined
}

export function parseMoneyFilter(search: Record<string, unknown>): MoneyFilter {
  return { view: oneOf(['placed', 'credited', 'sent_back'], search.view), cols: colsOf(search) }
}

export const closedViews = ['open', 'sent_back'] as const

/** Whether money of closed accounts went back: left out, it waits. */
export interface ClosedFilter extends QueueView {
  view?: 'sent_back' | undefined
}

export function parseClosedFilter(search: Record<string, unknown>): ClosedFilter {
  return { view: oneOf(['sent_back'], search.view), cols: colsOf(search) }
}
