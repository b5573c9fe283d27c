import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  acceptDispute,
  amendOrderAddress,
  approveProposal,
  confirmPayment,
  contestDispute,
  declareTransferDead,
  fulfillOrder,
  getAdminOrder,
  getAdminOrdersSummary,
  getPaymentsSummary,
  holdOrder,
  listAdminOrders,
  listPendingPayments,
  markOrderSent,
  processPayment,
  refundOrder,
  rejectPayment,
  rejectProposal,
  resumeOrder,
  retryOrder,
} from '@/api/admin.gen'
import type { Confirmation, Outcome, RefundOrder } from '@/api/types.gen'
import { pageOf } from '@/lib/paging'
import { type AdminOrderFilter, asked, opensOnWork, type PaymentFilter } from './filters'
import { pagedQuery, polledQuery } from './polled'

/** SPEC §9: payments every 10 s. */
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

/** One order as staff see it; polled like the list. */
export const adminOrderQuery = (id: string) =>
  polledQuery(['admin-order', id], (signal) => getAdminOrder({ path: { id }, signal }))

/** What shows orders and their payments: read anew after a decision about either. */
export const orderKeys = [['admin-payments'], ['admin-orders'], ['admin-order'], ['admin-queues']]

/** A decision's outcome: done, or accepted and still being carried out (202). */
export type Decided = Promise<Outcome>

export const decisions = {
  process: async (id: string): Decided => (await processPayment({ path: { id } })).data,
  reject: async (id: string, reason: string): Decided =>
    (await rejectPayment({ path: { id }, body: { reason } })).data,
  confirm: async (id: string, body: Confirmation): Decided =>
    (await confirmPayment({ path: { id }, body })).data,
  fulfill: async (id: string): Decided => (await fulfillOrder({ path: { id }, body: {} })).data,
  retry: async (id: string, reason: string): Decided =>
    (await retryOrder({ path: { id }, body: { reason } })).data,
  refund: async (id: string, body: RefundOrder): Decided => (await refundOrder({ path: { id }, body })).data,
  contest_dispute: async (id: string, reason: string): Decided =>
    (await contestDispute({ path: { id }, body: { reason } })).data,
  accept_dispute: async (id: string, reason: string): Decided =>
    (await acceptDispute({ path: { id }, body: { reason } })).data,
  hold: async (id: string, reason: string): Decided =>
    (await holdOrder({ path: { id }, body: { reason } })).data,
  resume: async (id: string, reason: string): Decided =>
    (await resumeOrder({ path: { id }, body: { reason } })).data,
  amend_address: async (id: string, reason: string, destAddress: string): Decided =>
    (await amendOrderAddress({ path: { id }, body: { reason, destAddress } })).data,
  transfer_dead: async (id: string, reason: string, evidence: string): Decided =>
    (await declareTransferDead({ path: { id }, body: { reason, evidence } })).data,
  mark_sent: async (id: string, reason: string, txid: string, transferId: string): Decided =>
    (await markOrderSent({ path: { id }, body: { reason, txid, ...(transferId ? { transferId } : {}) } }))
      .data,
  approve_proposal: async (id: string, proposalId: string): Decided =>
    (await approveProposal({ path: { id }, body: { proposalId } })).data,
  /** Who made a proposal takes it back so. */
  reject_proposal: async (id: string, proposalId: string, reason: string): Decided =>
    (await rejectProposal({ path: { id }, body: { proposalId, reason } })).data,
}
