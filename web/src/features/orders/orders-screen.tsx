import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, ShoppingBag } from 'lucide-react'
import type { Order } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { Coin } from '@/components/money/coin'
import { CryptoAmount, Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { customerOrderLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { shortTime } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { methodLabels } from '@/messages/common'
import { orders } from '@/messages/orders'
import { ordersQuery } from './queries'
import { statusSentence } from './sentences'

export function OrdersScreen() {
  const query = useInfiniteQuery(ordersQuery())
  const rows = rowsOf(query.data?.pages)
  return (
    <Page
      title={orders.title}
      actions={
        <Link to="/buy" className={buttonVariants()}>
          <Plus aria-hidden />
          {orders.newOrder}
        </Link>
      }
    >
      {query.error ? (
        <Failed
          title={orders.fetchFailed}
          error={query.error}
          retry={() => void query.refetch()}
          className="mb-4"
        />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
      {query.isSuccess && rows.length === 0 ? (
        <Card>
          <NothingYet
            icon={ShoppingBag}
            title={orders.empty}
            hint={orders.emptyHint}
            action={
              <Link to="/buy" className={buttonVariants()}>
                {orders.buyNow}
              </Link>
            }
          />
        </Card>
      ) : null}
      <ul className="space-y-4">
        {rows.map((order) => (
          <li key={order.id}>
            <OrderCard order={order} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} />
    </Page>
  )
}

function OrderCard({ order }: { order: Order }) {
  const changed = shortTime(order.updatedAt) !== shortTime(order.createdAt)
  return (
    <Card className="relative">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="flex min-w-0 items-center gap-3">
          <Coin asset={order.asset} className="size-10" />
          <div className="min-w-0">
            <h2 className="text-lg">
              <Link to="/orders/$id" params={{ id: order.id }} className="rounded-sm hover:underline">
                <CryptoAmount amount={order.amountAsset} asset={order.asset} />
              </Link>
            </h2>
            <p className="text-sm text-muted-foreground">
              <span className="whitespace-nowrap">{order.reference}</span> · <Time at={order.createdAt} />
            </p>
          </div>
        </div>
        <div className="flex flex-col items-start gap-1 md:items-end">
          <StatusBadge look={customerOrderLook(order.status, order.metadata.resolution)} />
          <p className="text-sm text-muted-foreground">{statusSentence(order)}</p>
        </div>
      </div>
      <div className="mt-4 grid gap-x-12 gap-y-2 border-t pt-4 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
        <Pairs>
          <Pair name={orders.total}>
            <Usd amount={order.quoteFiat} className="font-semibold" />
          </Pair>
          <Pair name={orders.method}>{methodLabels[order.paymentMethod] ?? order.paymentMethod}</Pair>
          <Pair name={orders.created}>
            <Time at={order.createdAt} />
          </Pair>
          {changed ? (
            <Pair name={orders.updated}>
              <Time at={order.updatedAt} />
            </Pair>
          ) : null}
        </Pairs>
        <Pairs>
          <Pair name={orders.orderId}>
            <Copyable text={order.id} what={orders.orderId} />
          </Pair>
          <Pair name={orders.destination}>
            <Copyable text={order.destAddress} what={orders.destination} />
          </Pair>
          {order.status === 'sent' && order.txid ? (
            <Pair name={orders.txid}>
              <Copyable text={order.txid} what={orders.txid} />
            </Pair>
          ) : null}
        </Pairs>
      </div>
      <div className="mt-4">
        <Link
          to="/orders/$id"
          params={{ id: order.id }}
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          {orders.open}
          <span className="sr-only"> {order.reference}</span>
        </Link>
      </div>
    </Card>
  )
}
