import { type Asset, assets } from '@/api/lists.gen'
import { oneOf } from '@/lib/search'

export const moveStatuses = [
  'proposed',
  'approved',
  'sending',
  'unknown',
  'sent',
  'differs',
  'arrived',
  'rejected',
  'withdrawn',
  'failed',
] as const

export const treasurySpans = ['day', 'week', 'month', 'quarter'] as const

/** The filters of the list of moves, and how far back the history extends. */
export interface MoveFilter {
  status?: (typeof moveStatuses)[number] | undefined
  asset?: Asset | undefined
  span?: (typeof treasurySpans)[number] | undefined
}

export function parseMoveFilter(search: Record<string, unknown>): MoveFilter {
  return {
    status: oneOf(moveStatuses, search.status),
    asset: oneOf(assets, search.asset),
    span: oneOf(treasurySpans, search.span),
  }
}
