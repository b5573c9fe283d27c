import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Order } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Coin } from '@/components/money/coin'
import { CryptoAmount, Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Card } from '@/components/ui/card'
import { shortened, shortTime } from '@/lib/format'
import { methodLabels } from '@/messages/common'
import { orders } from '@/messages/orders'
import { ActionNeeded } from './action-needed'
import { statusSentence } from './sentences'
import { waitingWords } from './situation'

/** One order in the list: what it is and where it stands in one row, what is looked up in another. */
export function OrderCard({ order }: { order: Order }) {
  const changed = shortTime(order.updatedAt) !== shortTime(order.createdAt)
  return (
    <Card className="p-4 md:px-5 md:py-4">
      {order.action ? <ActionNeeded action={order.action} className="mb-3" /> : null}
      <div className="grid gap-x-6 gap-y-3 md:grid-cols-[minmax(0,1fr)_10rem_minmax(0,16rem)] md:items-center">
        <div className="flex min-w-0 items-center gap-3">
          <Coin asset={order.asset} className="size-9" />
          <div className="min-w-0">
            <h2 className="text-base">
              <Link to="/orders/$id" params={{ id: order.id }} className="rounded-sm hover:underline">
                <CryptoAmount amount={order.amountAsset} asset={order.asset} />
                <span className="sr-only"> {order.reference}</span>
              </Link>
            </h2>
            <p className="text-sm text-muted-foreground">
              <span className="whitespace-nowrap">{order.reference}</span> · <Time at={order.createdAt} />
            </p>
          </div>
        </div>
        <div className="text-sm max-md:flex max-md:justify-between">
          <Usd amount={order.quoteFiat} className="font-semibold md:block" />
          <span className="text-muted-foreground">
            {methodLabels[order.paymentMethod] ?? order.paymentMethod}
          </span>
        </div>
        <div className="flex flex-col items-start gap-1 md:items-end md:text-right">
          <StatusBadge look={lookOfOrder(order)} />
          <p className="text-sm text-muted-foreground">
            {order.attention ? waitingWords(order.attention.reason).title : statusSentence(order)}
          </p>
        </div>
      </div>
      <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1 border-t pt-2 text-sm text-muted-foreground">
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-8 items-center gap-2">
      <dt>{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}
