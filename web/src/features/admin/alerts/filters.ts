import { oneOf } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const alertViews = ['open', 'acknowledged', 'past'] as const

/** Which alerts are shown: left out, those that nobody has acknowledged. */
export interface AlertFilter extends QueueView {
  view?: Exclude<(typeof alertViews)[number], 'open'> | undefined
}

export function parseAlertFilter(search: Record<string, unknown>): AlertFilter {
  return { view: oneOf(['acknowledged', 'past'], search.view), cols: colsOf(search) }
}
