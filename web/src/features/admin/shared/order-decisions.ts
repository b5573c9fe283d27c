import {
  acceptDispute,
  amendOrderAddress,
  approveProposal,
  confirmPayment,
  contestDispute,
  declareTransferDead,
  fulfillOrder,
  getAdminOrder,
  getLessCoin,
  holdOrder,
  markOrderSent,
  processPayment,
  refundOrder,
  rejectPayment,
  rejectProposal,
  resumeOrder,
  retryOrder,
  withdrawCoinOffer,
} from '@/api/admin.gen'
import type { Confirmation, Outcome, RefundOrder } from '@/api/types.gen'
import { polledQuery } from './polled'

/** One order as staff see it; polled like the list. */
export const adminOrderQuery = (id: string) =>
  polledQuery(['admin-order', id], (signal) => getAdminOrder({ path: { id }, signal }))

/** What an order would send with a refund and less coin. */
export const lessCoinQuery = (id: string, refund: string) => ({
  queryKey: ['less-coin', id, refund],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await getLessCoin({ path: { id }, query: { refund }, signal })).data,
  retry: false,
})

/** The queries of orders and their payments: invalidated after a decision about either. */
export const orderKeys = [['admin-payments'], ['admin-orders'], ['admin-order'], ['admin-queues']]

/** A decision's outcome: done, or accepted and still being executed (202). */
export type Decided = Promise<Outcome>

export const decisions = {
  process: async (id: string): Decided => (await processPayment({ path: { id } })).data,
  reject: async (id: string, reason: string): Decided =>
    (await rejectPayment({ path: { id }, body: { reason } })).data,
  confirm: async (id: string, body: Confirmation): Decided =>
    (await confirmPayment({ path: { id }, body })).data,
  /** The refunds that were shown: if there are others by now, the server rejects the decision. */
  fulfill: async (id: string, refunded: string): Decided =>
    (await fulfillOrder({ path: { id }, body: { refunded } })).data,
  retry: async (id: string, reason: string, refunded: string): Decided =>
    (await retryOrder({ path: { id }, body: { reason, refunded } })).data,
  refund: async (id: string, body: RefundOrder): Decided => (await refundOrder({ path: { id }, body })).data,
  withdraw_coin_offer: async (id: string, reason: string, offerId: string): Decided =>
    (await withdrawCoinOffer({ path: { id }, body: { offerId, reason } })).data,
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
  approve_proposal: async (id: string, proposalId: string, version = ''): Decided =>
    (await approveProposal({ path: { id }, body: { proposalId, version } })).data,
  /** The proposer withdraws the proposal with it. */
  reject_proposal: async (id: string, proposalId: string, reason: string): Decided =>
    (await rejectProposal({ path: { id }, body: { proposalId, reason } })).data,
}
