import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const orderStatuses = [
  'pending',
  'payment_approved',
  'fulfilling',
  'filled',
  'sent',
  'failed',
] as const

export interface AdminOrderFilter extends QueueView {
  /** Left out, as all the others: what can be acted on now. */
  status?: (typeof orderStatuses)[number] | 'all' | undefined
  /** Only orders that wait for an admin. */
  attention?: true | undefined
  /** Only orders with a proposal that waits for a second admin. */
  proposed?: true | undefined
  /** Not those that were declined, cancelled, refunded or expired: of what failed, what can be retried. */
  notEnded?: true | undefined
  q?: string | undefined
}

export function parseAdminOrderFilter(search: Record<string, unknown>): AdminOrderFilter {
  return {
    cols: colsOf(search),
    status: oneOf([...orderStatuses, 'all'], search.status),
    attention: String(search.attention) === 'true' ? true : undefined,
    proposed: String(search.proposed) === 'true' ? true : undefined,
    notEnded: String(search.notEnded) === 'true' ? true : undefined,
    q: text(search.q)?.slice(0, 100),
  }
}

/** The list's address also says which order is open beside it. */
export interface AdminOrdersSearch extends AdminOrderFilter {
  open?: string | undefined
}

export function parseAdminOrdersSearch(search: Record<string, unknown>): AdminOrdersSearch {
  return { ...parseAdminOrderFilter(search), open: text(search.open)?.slice(0, 36) }
}
