import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getPaymentsSummary, listPendingPayments } from '@/api/admin.gen'
import { pageOf } from '@/lib/paging'
import { asked, opensOnWork } from '../shared/queue-filter'
import type { PaymentFilter } from './filters'

/** specification §9: payments every 10 s. */
const PAYMENTS_POLL_MS = 10_000

export function paymentsQuery(filter: PaymentFilter) {
  const query = { ...asked(filter), actionable: opensOnWork(filter) }
  return infiniteQueryOptions({
    queryKey: ['admin-payments', 'list', query],
    queryFn: async ({ pageParam, signal }) => {
      const { data, response } = await listPendingPayments({
        query: { ...query, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      })
      return pageOf(data.payments ?? [], response)
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: PAYMENTS_POLL_MS,
    staleTime: 0,
  })
}

export function paymentsSummaryQuery(filter: PaymentFilter) {
  return queryOptions({
    queryKey: ['admin-payments', 'summary', asked(filter)],
    queryFn: async ({ signal }) => (await getPaymentsSummary({ query: asked(filter), signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: PAYMENTS_POLL_MS,
    staleTime: 0,
  })
}
