import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, CircleCheck, Printer } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { OrderDetail } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { NotFound } from '@/components/layout/not-found'
import { Page } from '@/components/layout/page'
import { ExplorerLink } from '@/components/money/explorer-link'
import { CryptoAmount, Pair, Pairs, Usd } from '@/components/money/money'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { cardName, crypto, longTime, usd } from '@/lib/format'
import { HttpError, messageOf } from '@/lib/http'
import { compare } from '@/lib/money'
import { toast } from '@/lib/toast'
import { buy } from '@/messages/buy'
import { methodLabels, networkNames } from '@/messages/common'
import { orderPage } from '@/messages/order-page'
import { orders } from '@/messages/orders'
import { ConfirmByMail } from '../confirm/confirm-by-mail'
import { HelpLink } from '../support/help-link'
import { ActionNeeded } from './action-needed'
import { CancelDialog } from './cancel-dialog'
import { GroupedAddress } from './grouped-address'
import { HeldAddress } from './held-address'
import { HoldNotice } from './hold-notice'
import { MoneyCard } from './money-card'
import { PaymentCard } from './payment-card'
import { cancel, isFinal, orderQuery } from './queries'
import { statusSentence } from './sentences'
import { situationOf } from './situation'
import { SituationCard } from './situation-card'
import { OrderLog, OrderTimeline } from './timeline'
import { useFocusKept } from './use-focus-kept'

const LessCoin = lazy(async () => ({ default: (await import('./less-coin')).LessCoin }))
const ReducedRow = lazy(async () => ({ default: (await import('./less-coin')).ReducedRow }))

export function OrderScreen({ id, returned }: { id: string; returned: boolean }) {
  const query = useQuery(orderQuery(id))
  useFocusKept(query.data)
  if (query.error instanceof HttpError && query.error.status === 404) return <NotFound />
  const order = query.data
  if (!order) {
    return (
      <Page title={orders.details}>
        {query.error ? (
          <Failed title={orders.fetchFailed} error={query.error} retry={() => void query.refetch()} />
        ) : (
          <LoadingRows rows={3} />
        )}
      </Page>
    )
  }
  return (
    <Page
      title={orders.heading(crypto(order.amountAsset), order.asset)}
      status={<StatusBadge look={lookOfOrder(order)} />}
      lead={`${order.reference} · ${orders.live}`}
      actions={
        <Link to="/orders" className={buttonVariants({ variant: 'outline' })}>
          <ArrowLeft aria-hidden />
          {orders.back}
        </Link>
      }
    >
      <p role="status" className="sr-only">
        {situationOf(order)?.title ?? statusSentence(order)}
      </p>
      {order.action ? <ActionNeeded action={order.action} className="mb-4" /> : null}
      {isFinal(order) || order.attention?.reason === 'account_frozen' ? null : (
        <HoldNotice className="mb-6" />
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="min-w-0 space-y-6">
          <ConfirmByMail
            id={order.id}
            of="order"
            until={order.action?.kind === 'confirm_order' ? order.action.deadline : undefined}
            reads={['order', 'orders', 'balance', 'user']}
          >
            <GroupedAddress address={order.destAddress} />
            <p className="mt-1">{networkNames[order.network] ?? order.network}</p>
          </ConfirmByMail>
          <HeldAddress order={order} />
          {order.coinOffer ? (
            <Suspense>
              <LessCoin order={order} offer={order.coinOffer} />
            </Suspense>
          ) : null}
          <SituationCard order={order} />
          <PaymentCard order={order} returned={returned} />
          <Delivered order={order} />
          <MoneyCard order={order} />
          <Card>
            <CardTitle className="mb-5">{orders.timeline}</CardTitle>
            <OrderTimeline order={order} />
            <OrderLog order={order} />
          </Card>
        </div>
        <aside className="min-w-0 space-y-6">
          <Details order={order} />
          <Actions order={order} />
          {situationOf(order) ? null : <HelpLink order={order.id} reference={order.reference} />}
        </aside>
      </div>
    </Page>
  )
}

function Delivered({ order }: { order: OrderDetail }) {
  // A transaction that the network lost or delays is shown as a situation.
  if (order.status !== 'sent' || !order.txid || (order.attention && !order.confirmedAt)) return null
  const network = networkNames[order.network] ?? order.network
  const title = order.confirmedAt ? orders.confirmedTitle : orders.sentTitle
  return (
    <Notice tone="success" icon={CircleCheck} title={title(crypto(order.amountAsset), order.asset)}>
      <p>
        {order.confirmedAt
          ? orders.confirmedText(network, longTime(order.confirmedAt))
          : orders.sentText(network)}
      </p>
      <p className="mt-2 font-medium">{orders.txid}</p>
      <Copyable text={order.txid} what={orders.txid} className="text-current" />
      {order.explorerUrl ? (
        <p className="mt-2">
          <ExplorerLink href={order.explorerUrl} className="font-semibold" />
        </p>
      ) : null}
    </Notice>
  )
}

function Details({ order }: { order: OrderDetail }) {
  const card = cardName(order.payment.cardBrand, order.payment.cardLast4)
  return (
    <Card>
      <CardTitle className="mb-4">{orders.details}</CardTitle>
      <Pairs>
        <Pair name={buy.rows.amount}>
          <CryptoAmount amount={order.amountAsset} asset={order.asset} />
        </Pair>
        <Pair name={orders.method}>{methodLabels[order.paymentMethod] ?? order.paymentMethod}</Pair>
        {card ? <Pair name={orders.card}>{card}</Pair> : null}
        <Pair name={buy.rows.basePrice}>
          <Usd amount={order.basePrice} />
        </Pair>
        <Pair name={buy.rows.paymentFee}>
          <Usd amount={order.paymentMethodFee} />
        </Pair>
        {compare(order.volumeDiscount, '0') > 0 ? (
          <Pair name={buy.rows.volumeDiscount}>−{usd(order.volumeDiscount)}</Pair>
        ) : null}
        {compare(order.reduced, '0') > 0 ? (
          <Suspense>
            <ReducedRow reduced={order.reduced} />
          </Suspense>
        ) : null}
        <Pair name={orders.total} strong>
          <Usd amount={order.total} />
        </Pair>
      </Pairs>
      <dl className="mt-5 space-y-3 border-t pt-4 text-sm">
        <Stacked name={orders.destination}>
          <Copyable text={order.destAddress} what={orders.destination} />
          <span className="block text-muted-foreground">{networkNames[order.network] ?? order.network}</span>
        </Stacked>
        <Stacked name={orders.orderId}>
          <Copyable text={order.id} what={orders.orderId} />
        </Stacked>
        <Stacked name={orders.created}>
          <Time at={order.createdAt} long />
        </Stacked>
      </dl>
    </Card>
  )
}

function Stacked({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-muted-foreground">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Actions({ order }: { order: OrderDetail }) {
  const [asking, setAsking] = useState(false)
  const client = useQueryClient()
  const cancelling = useMutation({
    mutationFn: () => cancel(order.id),
    onSuccess: () => {
      setAsking(false)
      toast({ title: orderPage.cancel.done, description: orderPage.cancel.doneText })
    },
    onError: (error) =>
      toast({
        title: orderPage.cancel.failed,
        description: messageOf(error, orderPage.cancel.failedText),
        variant: 'destructive',
      }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['order', order.id] })
      void client.invalidateQueries({ queryKey: ['orders'] })
    },
  })
  const mayCancel = order.choices.includes('cancel')
  const mayPrint = order.choices.includes('receipt')
  if (!mayCancel && !mayPrint) return null
  return (
    <div className="flex flex-wrap gap-2">
      {mayPrint ? (
        <Link
          to="/orders/$id/receipt"
          params={{ id: order.id }}
          className={buttonVariants({ variant: 'outline' })}
        >
          <Printer aria-hidden />
          {order.paidAt ? orders.receipt : orders.summary}
        </Link>
      ) : null}
      {mayCancel ? (
        <Button
          variant="outline"
          disabled={cancelling.isPending || Boolean(order.decision)}
          onClick={() => setAsking(true)}
        >
          {cancelling.isPending || order.decision ? orderPage.cancel.pending : orderPage.cancel.button}
        </Button>
      ) : null}
      {asking ? (
        <CancelDialog
          order={order}
          pending={cancelling.isPending}
          error={cancelling.error ? messageOf(cancelling.error, orderPage.cancel.failedText) : undefined}
          onConfirm={() => cancelling.mutate()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </div>
  )
}
