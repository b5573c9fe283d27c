import { getAdminOrdersSummary, listAdminOrders } from '@/api/admin.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import { asked, opensOnWork } from '../shared/queue-filter'
import type { AdminOrderFilter } from './filters'

export const adminOrdersQuery = (filter: AdminOrderFilter) =>
  pagedQuery(
    ['admin-orders', 'list'],
    { ...asked(filter), actionable: opensOnWork(filter) && !filter.attention && !filter.proposed },
    (query, signal) => listAdminOrders({ query, signal }),
  )

export const adminOrdersSummaryQuery = (filter: AdminOrderFilter) =>
  polledQuery(
    ['admin-orders', 'summary', asked(filter)],
    (signal) => getAdminOrdersSummary({ query: asked(filter), signal }),
    { keep: true },
  )
