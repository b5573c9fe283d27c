/**
 * How each entity's states are drawn: one exhaustive map per entity, because the same name means different
 * things ('approved' of a payment is not 'approved' of an identity). An unknown status has its map's
 * fallback; an order's falls back to pending (specification §4).
 */
import type { AdminTransaction, Order, Transaction } from '@/api/types.gen'
import { statusLabels } from '@/messages/status'

export type Tone = 'neutral' | 'pending' | 'info' | 'progress' | 'success' | 'danger'

export interface StatusLook {
  label: string
  tone: Tone
  /** True for ends without a fault: cancelled. */
  ended?: boolean
}

function look(label: string, tone: Tone, ended?: boolean): StatusLook {
  return ended ? { label, tone, ended } : { label, tone }
}

export type OrderStatus = keyof typeof statusLabels.order
export type LegacyStatus = keyof typeof statusLabels.legacy
export type PaymentStatus = keyof typeof statusLabels.payment
export type KycStatus = keyof typeof statusLabels.kyc
export type CustomerKycStatus = keyof typeof statusLabels.customerKyc

export const orderLooks: Record<OrderStatus, StatusLook> = {
  pending: look(statusLabels.order.pending, 'pending'),
  payment_approved: look(statusLabels.order.payment_approved, 'info'),
  fulfilling: look(statusLabels.order.fulfilling, 'progress'),
  filled: look(statusLabels.order.filled, 'progress'),
  sent: look(statusLabels.order.sent, 'success'),
  failed: look(statusLabels.order.failed, 'danger'),
}

export const legacyLooks: Record<LegacyStatus, StatusLook> = {
  pending: look(statusLabels.legacy.pending, 'pending'),
  payment_processing: look(statusLabels.legacy.payment_processing, 'info'),
  completed: look(statusLabels.legacy.completed, 'success'),
  failed: look(statusLabels.legacy.failed, 'danger'),
  cancelled: look(statusLabels.legacy.cancelled, 'neutral', true),
}

export const paymentLooks: Record<PaymentStatus, StatusLook> = {
  pending: look(statusLabels.payment.pending, 'pending'),
  approved: look(statusLabels.payment.approved, 'success'),
  declined: look(statusLabels.payment.declined, 'danger'),
}

export const kycLooks: Record<KycStatus, StatusLook> = {
  not_started: look(statusLabels.kyc.not_started, 'neutral'),
  pending: look(statusLabels.kyc.pending, 'pending'),
  approved: look(statusLabels.kyc.approved, 'success'),
  rejected: look(statusLabels.kyc.rejected, 'danger'),
}

export const customerKycLooks: Record<CustomerKycStatus, StatusLook> = {
  not_started: look(statusLabels.customerKyc.not_started, 'neutral'),
  pending: look(statusLabels.customerKyc.pending, 'pending'),
  verified: look(statusLabels.customerKyc.verified, 'success'),
  enhanced: look(statusLabels.customerKyc.enhanced, 'success'),
  rejected: look(statusLabels.customerKyc.rejected, 'danger'),
}

function pick<K extends string>(map: Record<K, StatusLook>, status: string, fallback: K): StatusLook {
  return Object.hasOwn(map, status) ? map[status as K] : map[fallback]
}

/** An order's state; unknown ones display as pending (specification §4). */
export function orderLook(status: string): StatusLook {
  return pick(orderLooks, status, 'pending')
}

/** The ends of an order or gift card that are no failure, each with its own label. */
const endLooks: Record<string, StatusLook> = {
  cancelled: look(statusLabels.legacy.cancelled, 'neutral', true),
  declined: look(statusLabels.ended.declined, 'neutral', true),
  expired: look(statusLabels.ended.expired, 'neutral', true),
  refunded: look(statusLabels.ended.refunded, 'neutral', true),
  disputed: look(statusLabels.ended.disputed, 'danger'),
  rejected: look(statusLabels.kyc.rejected, 'danger'),
}

function endLook(resolution: string | null | undefined): StatusLook | undefined {
  return resolution && Object.hasOwn(endLooks, resolution) ? endLooks[resolution] : undefined
}

export function isOrderStatus(status: string): status is OrderStatus {
  return Object.hasOwn(orderLooks, status)
}

/** An order, wherever it is shown: the fields that its badge depends on, all of them required. */
interface Standing {
  status: string
  authorised: boolean
  metadata: { resolution: string | null; afterSent?: string | null }
  action?: Order['action'] | undefined
}

/** An order everywhere: what its customer has to choose, its end instead of 'Failed', 'Authorized' while its card holds the amount. */
export function lookOfOrder({ status, authorised, metadata, action }: Standing): StatusLook {
  if (status === 'pending' && authorised) return authorisedLook
  if ((status === 'pending' || status === 'failed') && action?.kind === 'choose') return actionLook
  // A paid order goes no further without another address.
  if (action?.kind === 'address') return actionLook
  if (status === 'sent') return sentLook(metadata.afterSent)
  return (status === 'failed' && endLook(metadata.resolution)) || orderLook(status)
}

/** A sent order, with what became of all its money since: both are true. */
function sentLook(after: string | null | undefined): StatusLook {
  const end = endLook(after)
  return end ? { ...end, label: `${orderLooks.sent.label} · ${end.label.toLowerCase()}` } : orderLooks.sent
}

const authorisedLook = look(statusLabels.authorised, 'info')
/** What an order waits for is its customer's: a choice about its money, or another address. */
const actionLook = look(statusLabels.action, 'pending')

/** Whether a code is one of an order: its status, its end, or what stands in its place. */
export const isStateWord = (word: string): boolean =>
  isOrderStatus(word) || word === 'authorised' || word === 'action' || endLook(word) !== undefined

/** An order's state in one label: its status, or what stands in its place. */
export function stateLook(word: string): StatusLook {
  if (word === 'action') return actionLook
  return word === 'authorised' ? authorisedLook : (endLook(word) ?? orderLook(word))
}

export function legacyLook(status: string): StatusLook {
  return pick(legacyLooks, status, 'pending')
}

/**
 * A line of a customer's history: an order with its page's labels, all else with the specification's five.
 */
export function historyLook({
  legacyStatus,
  orderStatus,
  resolution,
  authorised,
}: Pick<Transaction, 'legacyStatus' | 'resolution' | 'authorised'> &
  Partial<Pick<Transaction, 'orderStatus'>>): StatusLook {
  if (authorised) return authorisedLook
  if (orderStatus === 'sent') return sentLook(resolution)
  const end = endLook(resolution)
  if (end) return end
  if (orderStatus) return orderLook(orderStatus)
  // Of a redeemed voucher, whose page says it so.
  return orderStatus === null && legacyStatus === 'payment_processing'
    ? orderLooks.fulfilling
    : legacyLook(legacyStatus)
}

/** A transfer to a wallet: one that the network has is sent, as its order is. */
export function withdrawalLook(status: string): StatusLook {
  return status === 'completed' ? orderLooks.sent : legacyLook(status)
}

/** A line of the platform's transactions: an order with its page's word, all else with the specification's five. */
export function tradeLook({
  type,
  state,
  status,
}: Pick<AdminTransaction, 'type' | 'state' | 'status'>): StatusLook {
  if (type === 'order' && isStateWord(status)) return stateLook(status)
  return endLook(status) ?? legacyLook(state)
}

export function paymentLook(status: string): StatusLook {
  return pick(paymentLooks, status, 'pending')
}

/** An identity's state; one that can be shown again is no failure. */
export function kycLook(status: string, canRetry = false): StatusLook {
  const shown = pick(kycLooks, status, 'not_started')
  return canRetry && shown.tone === 'danger' ? { ...shown, tone: 'pending' } : shown
}

/** specification §2, dashboard: Verified (green), Rejected (red), otherwise Pending (yellow). */
export function dashboardKycLook(kycStatus: string): StatusLook {
  if (kycStatus === 'verified') return look(statusLabels.identity.verified, 'success')
  if (kycStatus === 'rejected') return look(statusLabels.identity.rejected, 'danger')
  return look(statusLabels.identity.other, 'pending')
}
