import { queryOptions } from '@tanstack/react-query'
import { getAdminCustomer, getCustomerStats, getCustomersSummary, listCustomers } from '@/api/admin.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { CustomerFilter } from './filters'

export const customersQuery = (filter: CustomerFilter) =>
  pagedQuery(['admin-customers', 'list'], filter, (query, signal) => listCustomers({ query, signal }))

export const customersSummaryQuery = (filter: CustomerFilter) =>
  polledQuery(
    ['admin-customers', 'summary', filter],
    (signal) => getCustomersSummary({ query: filter, signal }),
    { keep: true },
  )

export const customerQuery = (id: string) =>
  polledQuery(['admin-customers', 'one', id], (signal) => getAdminCustomer({ path: { id }, signal }))

export const customerStatsQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin-customers', 'stats', id],
    queryFn: async ({ signal }) => (await getCustomerStats({ path: { id }, signal })).data,
    staleTime: 0,
  })
