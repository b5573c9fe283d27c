import { Undo2 } from 'lucide-react'
import type { AdminOrder } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { usd } from '@/lib/format'
import { isPositive } from '@/lib/money'
import { adminLessCoin } from '@/messages/admin-less-coin'
import { adminOrders as texts } from '@/messages/admin-order'
import { agreedTo, coinOf, refundedBefore } from './delivery'

/** Shown before the coin of a partly refunded order is sent: all of it, or less as the customer agreed. */
export function RefundedBefore({ order }: { order: AdminOrder }) {
  if (!refundedBefore(order)) return null
  const agreed = agreedTo(order)
  return (
    <Notice
      tone="pending"
      icon={Undo2}
      title={(agreed ? adminLessCoin.agreed : texts.refundedBefore)(usd(order.refunded))}
      role="status"
      className="mb-4"
    >
      {agreed
        ? adminLessCoin.sends(coinOf(order))
        : isPositive(order.reduced)
          ? adminLessCoin.both(usd(order.reduced), coinOf(order))
          : texts.sendsAll(coinOf(order))}
    </Notice>
  )
}
