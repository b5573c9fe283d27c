import { oneOf } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const breakViews = ['open', 'closed'] as const

export const breakHolders = ['stripe', 'kraken', 'bitgo'] as const

export interface BreakFilter extends QueueView {
  view?: (typeof breakViews)[number] | undefined
  holder?: (typeof breakHolders)[number] | undefined
}

export function parseBreakFilter(search: Record<string, unknown>): BreakFilter {
  return {
    view: oneOf(breakViews, search.view),
    holder: oneOf(breakHolders, search.holder),
    cols: colsOf(search),
  }
}
