import { getAdminTransactionsSummary, listAdminTransactions } from '@/api/admin.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { TradeFilter } from './filters'

export const tradesQuery = (filter: TradeFilter) =>
  pagedQuery(['admin-transactions', 'list'], filter, (query, signal) =>
    listAdminTransactions({ query, signal }),
  )

export const tradesSummaryQuery = (filter: TradeFilter) =>
  polledQuery(
    ['admin-transactions', 'summary', filter],
    (signal) => getAdminTransactionsSummary({ query: filter, signal }),
    { keep: true },
  )
