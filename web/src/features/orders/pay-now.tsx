import { Link } from '@tanstack/react-router'
import type { Order } from '@/api/types.gen'
import { buttonVariants } from '@/components/ui/button-variants'
import { useNow } from '@/lib/clock'
import { dashboard } from '@/messages/dashboard'

/** The way to pay an order in a list, while it can be paid. */
export function PayNow({ order }: { order: Order }) {
  const now = useNow(30_000)
  if (order.action?.kind !== 'pay' || Date.parse(order.paymentDueAt) <= now) return null
  return (
    <Link to="/orders/$id" params={{ id: order.id }} className={buttonVariants({ size: 'sm' })}>
      {dashboard.steps.pay.link}
      <span className="sr-only"> {order.reference}</span>
    </Link>
  )
}
