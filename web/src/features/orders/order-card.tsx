import { Link } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { Order } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Coin } from '@/components/money/coin'
import { CryptoAmount, Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Card } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { shortened, shortTime } from '@/lib/format'
import { methodLabels } from '@/messages/common'
import { orders } from '@/messages/orders'
import { ActionNeeded } from './action-needed'
import { PayNow } from './pay-now'
import { statusSentence } from './sentences'
import { waitingWords } from './situation'

/**
 * One order in the list: its summary and state in one row, its references in another. On a phone it is three
 * lines, and the rest opens.
 */
export function OrderCard({ order }: { order: Order }) {
  const method = methodLabels[order.paymentMethod] ?? order.paymentMethod
  const changed = shortTime(order.updatedAt) !== shortTime(order.createdAt)
  const [open, setOpen] = useState(false)
  const rest = useId()
  return (
    <Card className="p-4 md:px-5 md:py-4">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-2 md:grid-cols-[minmax(0,1fr)_10rem_minmax(0,16rem)] md:items-center md:gap-x-6 md:gap-y-3">
        {order.action ? (
          <div className="col-span-2 flex items-center justify-between gap-3 max-md:order-last md:col-span-3">
            <ActionNeeded action={order.action} listed />
            <PayNow order={order} />
          </div>
        ) : null}
        <div className="flex min-w-0 items-center gap-3">
          <Coin asset={order.asset} className="size-9 max-xs:hidden" />
          <div className="min-w-0">
            <h2 className="text-base">
              <Link to="/orders/$id" params={{ id: order.id }} className="rounded-sm hover:underline">
                <CryptoAmount amount={order.amountAsset} asset={order.asset} />
                <span className="sr-only"> {order.reference}</span>
              </Link>
            </h2>
            <p className="text-xs text-muted-foreground md:text-sm">
              <span className="whitespace-nowrap">{order.reference}</span> · <Time at={order.createdAt} />
            </p>
          </div>
        </div>
        <div className="text-right text-sm">
          <Usd amount={order.quoteFiat} className="block text-base font-semibold md:text-sm" />
          <span className="hidden text-muted-foreground md:inline">{method}</span>
          <button
            type="button"
            aria-expanded={open}
            aria-controls={rest}
            onClick={() => setOpen(!open)}
            className="-mr-1 inline-flex min-h-6 items-center gap-1 rounded-sm px-1 text-muted-foreground hover:text-foreground md:hidden"
          >
            {orders.log}
            <span className="sr-only"> {order.reference}</span>
            <ChevronDown aria-hidden className={cn('size-4', open && 'rotate-180')} />
          </button>
        </div>
        <div
          className={cn(
            'col-span-2 flex min-w-0 items-center gap-2 md:col-span-1 md:flex-col md:items-end md:gap-1 md:text-right',
            order.action && !open && 'max-md:hidden',
          )}
        >
          <StatusBadge look={lookOfOrder(order)} />
          <p className="min-w-0 text-xs text-muted-foreground md:text-sm">
            {order.attention ? waitingWords(order.attention.reason).title : statusSentence(order)}
          </p>
        </div>
      </div>
      <dl
        id={rest}
        className={cn(
          'mt-3 flex flex-wrap gap-x-6 gap-y-1 border-t pt-2 text-sm text-muted-foreground',
          !open && 'max-md:hidden',
        )}
      >
        <Fact name={orders.method} className="md:hidden">
          {method}
        </Fact>
        <Fact name={orders.destination}>
          <Copyable text={order.destAddress} shown={shortened(order.destAddress)} what={orders.destination} />
        </Fact>
        {order.status === 'sent' && order.txid ? (
          <Fact name={orders.txid}>
            <Copyable text={order.txid} shown={shortened(order.txid)} what={orders.txid} />
          </Fact>
        ) : null}
        {changed ? (
          <Fact name={orders.updated}>
            <Time at={order.updatedAt} />
          </Fact>
        ) : null}
      </dl>
    </Card>
  )
}

function Fact({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <div className={cn('flex min-h-8 items-center gap-2', className)}>
      <dt>{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}
