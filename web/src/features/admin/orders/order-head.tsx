import type { AdminOrderDetail } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder } from '@/components/status/status'
import { crypto, usd } from '@/lib/format'
import { adminOrders } from '@/messages/admin-order'
import { BookLinks } from '../shared/object-link'
import { Person } from '../shared/person'

/** What an order is called at the head of its page, and of its drawer. */
export const orderTitle = (order: AdminOrderDetail) => `${crypto(order.amountAsset)} ${order.asset}`

export function OrderLead({ order }: { order: AdminOrderDetail }) {
  return (
    <>
      <span className="font-mono">{order.reference}</span> · {usd(order.total)} ·{' '}
      <Person name={order.customerName} />
      <BookLinks id={order.id} />
    </>
  )
}

export function OrderBadges({ order }: { order: AdminOrderDetail }) {
  return (
    <>
      {order.held ? <StatusBadge look={{ label: adminOrders.held, tone: 'pending' }} /> : null}
      <StatusBadge look={lookOfOrder(order)} />
    </>
  )
}
