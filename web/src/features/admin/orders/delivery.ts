import type { AdminOrder } from '@/api/types.gen'
import { crypto, usd } from '@/lib/format'
import { compare, isPositive } from '@/lib/money'
import { adminLessCoin } from '@/messages/admin-less-coin'
import { adminOrders as texts } from '@/messages/admin-order'

type Delivered = Pick<AdminOrder, 'status' | 'asset' | 'amountAsset' | 'refunded' | 'reduced'>

/** The coin of an order: "213.73 USDC". */
export const coinOf = ({ amountAsset, asset }: Delivered): string => `${crypto(amountAsset)} ${asset}`

/** Whether a part of the payment was refunded before the coin is sent. */
export const refundedBefore = ({ status, refunded }: Delivered): boolean =>
  status !== 'sent' && isPositive(refunded)

/** Whether every refund before delivery came with less coin, as the customer agreed. */
export const agreedTo = (order: Delivered): boolean =>
  refundedBefore(order) && isPositive(order.reduced) && compare(order.reduced, order.refunded) >= 0

/** What was refunded and what the customer still receives; empty without a refund. */
export function deliveryNote(order: Delivered): string {
  if (agreedTo(order)) return adminLessCoin.sendsShort(usd(order.refunded), coinOf(order))
  return refundedBefore(order) ? texts.sendsAllShort(usd(order.refunded), coinOf(order)) : ''
}

/** The statuses in which a paid order's coin is sent without another decision about a failure. */
const beforeDelivery: readonly AdminOrder['status'][] = ['payment_approved', 'fulfilling', 'filled']

/** Where a refund goes: only a card's payment returns to where it came from. */
export function refundedTo(
  { paymentMethod, customerEmail }: Pick<AdminOrder, 'paymentMethod' | 'customerEmail'>,
  toBalance = false,
): string {
  return texts.refundTo[paymentMethod === 'card' && !toBalance ? 'card' : 'balance'](customerEmail)
}

/** What a partial refund does: where it goes, the amount, and before delivery the coin that is sent all the same. */
export function partialRefundText(order: Delivered, amount: string, to: string): string {
  return beforeDelivery.includes(order.status)
    ? texts.refundPartUnsentText(usd(amount), to, coinOf(order))
    : texts.refundPartText(usd(amount), to)
}
