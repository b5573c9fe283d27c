import { Undo2 } from 'lucide-react'
import type { AdminOrder } from '@/api/types.gen'
import { Notice } from '@/components/states/states'
import { usd } from '@/lib/format'
import { adminOrders as texts } from '@/messages/admin-order'
import { coinOf, refundedBefore } from './delivery'

/** Shown before the coin of a partly refunded order is sent: a refund does not reduce the coin. */
export function RefundedBefore({ order }: { order: AdminOrder }) {
  if (!refundedBefore(order)) return null
  return (
    <Notice
      tone="pending"
      icon={Undo2}
      title={texts.refundedBefore(usd(order.refunded))}
      role="status"
      className="mb-4"
    >
      {texts.sendsAll(coinOf(order))}
    </Notice>
  )
}
