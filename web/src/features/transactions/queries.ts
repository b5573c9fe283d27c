import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getTransactionsSummary, listTransactions } from '@/api/sdk.gen'
import { toPage } from '@/lib/paging'
import type { TransactionFilter } from './filter'

export function transactionsQuery(filter: TransactionFilter, limit = 50) {
  return infiniteQueryOptions({
    queryKey: ['transactions', 'list', filter, limit],
    queryFn: async ({ pageParam, signal }) =>
      toPage(
        await listTransactions({
          query: { ...filter, limit, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

export function transactionsSummaryQuery(filter: TransactionFilter) {
  return queryOptions({
    queryKey: ['transactions', 'summary', filter],
    queryFn: async ({ signal }) => (await getTransactionsSummary({ query: filter, signal })).data,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** The server's file, under the same filters. */
export function exportHref(filter: TransactionFilter): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(filter)) if (value) query.set(key, value)
  const search = query.toString()
  return `/api/transactions/export${search ? `?${search}` : ''}`
}
