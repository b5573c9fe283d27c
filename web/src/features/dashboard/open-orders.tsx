import { Link } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import type { Order } from '@/api/types.gen'
import { Coin } from '@/components/money/coin'
import { CryptoAmount, Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder, stateLook } from '@/components/status/status'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { dashboard } from '@/messages/dashboard'
import { PayNow } from '../orders/pay-now'
import { statusSentence } from '../orders/sentences'

/** What an order has behind it, of paid, buying and sent. */
const done: Record<string, number> = { payment_approved: 1, fulfilling: 1, filled: 2, sent: 3 }

/** The newest orders that are not over, each with how far it is. */
interface OpenOrdersProps {
  orders: readonly Order[] | undefined
  error: unknown
  retry: () => void
}

export function OpenOrders({ orders, error, retry }: OpenOrdersProps) {
  return (
    <Card className="flex min-h-60 flex-col lg:min-h-88">
      <div className="mb-2 flex items-center justify-between gap-4">
        <CardTitle>{dashboard.openOrders}</CardTitle>
        <Link to="/orders" className={buttonVariants({ variant: 'ghost', size: 'sm' })}>
          {dashboard.allOrders}
        </Link>
      </div>
      {error ? <Failed title={dashboard.ordersFailed} error={error} retry={retry} /> : null}
      {!orders && !error ? <LoadingRows rows={2} /> : null}
      {orders?.length === 0 ? (
        <NothingYet
          icon={ListChecks}
          title={dashboard.noOpenOrders}
          hint={dashboard.noOpenOrdersHint}
          className="my-auto py-4"
        />
      ) : null}
      <ul className="divide-y max-md:[&>li:nth-child(n+3)]:hidden">
        {orders?.map((order) => (
          <li key={order.id} className="flex items-center gap-4">
            <Progress order={order} />
            {/* On a phone the row leads to the order; the most urgent one is the next step, with its button. */}
            <span className="max-md:hidden empty:hidden">
              <PayNow order={order} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Progress({ order }: { order: Order }) {
  const reached = done[order.status] ?? 0
  const waits = order.action !== undefined && order.action.kind !== 'pay'
  return (
    <Link
      to="/orders/$id"
      params={{ id: order.id }}
      className="-mx-2 flex min-w-0 flex-1 items-center gap-3 rounded-md p-2 hover:bg-accent md:py-3"
    >
      <Coin asset={order.asset} className="size-9" />
      <span className="min-w-0 flex-1 space-y-1.5">
        <span className="flex flex-wrap justify-between gap-x-3 text-sm font-semibold">
          <CryptoAmount amount={order.amountAsset} asset={order.asset} />
          <Usd amount={order.quoteFiat} />
        </span>
        <span
          className={cn(
            'flex flex-wrap items-center justify-between gap-x-3 gap-y-1 lg:flex-nowrap',
            'text-xs text-muted-foreground',
          )}
        >
          <span className="min-w-0">
            <span className="whitespace-nowrap">{order.reference}</span>
            <span className="hidden sm:inline"> · {statusSentence(order)}</span>
          </span>
          <StatusBadge look={waits ? stateLook('action') : lookOfOrder(order)} />
        </span>
        <span aria-hidden className="flex gap-1">
          {[1, 2, 3].map((part) => (
            <span
              key={part}
              className={cn('h-1 flex-1 rounded-full', part <= reached ? 'bg-primary' : 'bg-border')}
            />
          ))}
        </span>
      </span>
    </Link>
  )
}
