import { oneOf } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const riskViews = ['open', 'closed', 'rules', 'lists'] as const

export type RiskView = (typeof riskViews)[number]

/** Which part of the page is shown: left out, the first. */
export interface RiskFilter extends QueueView {
  view?: Exclude<RiskView, 'open'> | undefined
}

export function parseRiskFilter(search: Record<string, unknown>): RiskFilter {
  return { view: oneOf(['closed', 'rules', 'lists'], search.view), cols: colsOf(search) }
}
