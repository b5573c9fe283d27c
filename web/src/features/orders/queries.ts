import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  cancelOrder,
  getOrder,
  getOrderReceipt,
  getOrdersSummary,
  listOrders,
  listWithdrawals,
  uploadEvidence,
} from '@/api/sdk.gen'
import type { ListOrdersData, OrderDetail } from '@/api/types.gen'
import { toPage } from '@/lib/paging'

/** specification §9: a customer's orders are polled every 10 s. */
const POLL_MS = 10_000

type Filter = Omit<NonNullable<ListOrdersData['query']>, 'cursor'>

export function ordersQuery(filter: Filter = {}) {
  return infiniteQueryOptions({
    queryKey: ['orders', filter],
    queryFn: async ({ pageParam, signal }) =>
      toPage(await listOrders({ query: { ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, signal })),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

/**
 * The orders that wait for their customer: few, so that one page holds them. Read again with every event of
 * an order.
 */
export const actionsQuery = queryOptions({
  queryKey: ['orders', 'actions'],
  queryFn: async ({ signal }) => toPage(await listOrders({ query: { action: true, limit: 50 }, signal })),
  refetchInterval: 60_000,
  staleTime: 0,
})

export const ordersSummaryQuery = queryOptions({
  queryKey: ['orders', 'summary'],
  queryFn: async ({ signal }) => (await getOrdersSummary({ signal })).data,
  refetchInterval: POLL_MS,
  staleTime: 0,
})

/** Nothing can happen to it any more (a sent one is still watched until the network has confirmed it). */
export function isFinal(order: OrderDetail): boolean {
  if (order.status === 'sent') return Boolean(order.confirmedAt)
  return order.status === 'failed' && Boolean(order.metadata.resolution)
}

/** One order; polled until it is final. Faster while its payment page is being prepared. */
export function orderQuery(id: string) {
  return queryOptions({
    queryKey: ['order', id],
    queryFn: async ({ signal }) => (await getOrder({ path: { id }, signal })).data,
    refetchInterval: ({ state }) => {
      if (!state.data) return POLL_MS
      if (isFinal(state.data)) return false
      return state.data.payment.checkout?.state === 'preparing' ? 2_000 : POLL_MS
    },
    staleTime: 0,
  })
}

export function receiptQuery(id: string) {
  return queryOptions({
    queryKey: ['order', id, 'receipt'],
    queryFn: async ({ signal }) => (await getOrderReceipt({ path: { id }, signal })).data,
    staleTime: 0,
  })
}

/** specification §9: the wallet shows the five most recent. */
export const recentWithdrawalsQuery = queryOptions({
  queryKey: ['withdrawals', 'recent'],
  queryFn: async ({ signal }) => toPage(await listWithdrawals({ query: { limit: 5 }, signal })),
  refetchInterval: POLL_MS,
  staleTime: 0,
})

export async function cancel(id: string) {
  return (await cancelOrder({ path: { id } })).data
}

export type EvidenceKind = 'receipt' | 'card_photo'

export async function sendEvidence(id: string, kind: EvidenceKind, file: File) {
  return (await uploadEvidence({ path: { id }, body: { kind, file } })).data
}
