import { Link } from '@tanstack/react-router'
import { CircleAlert, RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AdminOrder } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { crypto, spaced } from '@/lib/format'
import { adminOrder as details, adminOrders as texts } from '@/messages/admin-order'
import { methodLabels, networkNames } from '@/messages/common'
import { Fact, Facts } from '../shared/facts'
import { Person } from '../shared/person'
import { PhoneRow, phoneFrame, phoneLink } from '../shared/phone-row'
import { CustomerLink, rowActs } from '../shared/queue-cells'
import { WorkflowLink } from '../shared/workflow-link'
import { AttentionNotice } from './attention-notice'
import type { AdminOrdersSearch } from './filters'
import { LastAttempt } from './last-attempt'
import { OrderActions } from './order-actions'
import type { OrderAction } from './order-decision'
import { OrderCost, Standing } from './order-standing'

interface OrderCardProps {
  order: AdminOrder
  /** The list's own address with this order opened beside it. */
  search: AdminOrdersSearch
  onDecide: (action: OrderAction) => void
  /** Where it can be chosen together with others. */
  choice?: ReactNode
}

interface OrderLinesProps extends Pick<OrderCardProps, 'order' | 'search' | 'choice'> {
  acts: ReactNode
}

/** An order on a phone. */
export function OrderLines({ order, search, acts, choice }: OrderLinesProps) {
  return (
    <PhoneRow
      className={phoneFrame}
      title={
        <Link to="/admin/orders" search={search} resetScroll={false} data-open className={phoneLink}>
          <span className="font-mono">{order.reference}</span>
        </Link>
      }
      figure={<OrderCost order={order} />}
      about={
        <>
          <Person name={order.customerName} /> {order.country} · {crypto(order.amountAsset)} {order.asset} ·{' '}
          <Time at={order.createdAt} />
        </>
      }
      badge={<Standing order={order} />}
      acts={
        acts ? (
          <>
            {choice}
            {acts}
          </>
        ) : null
      }
    />
  )
}

/** specification §2's order card of the back office. */
export function OrderCard({ order, search, onDecide, choice }: OrderCardProps) {
  return (
    <article className="flex h-full min-w-0 flex-col rounded-lg border bg-card p-4 md:p-5">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-lg tabular-nums">
            {crypto(order.amountAsset)} {order.asset}
          </h2>
          <p className="text-sm text-muted-foreground">
            <span className="font-mono">{order.reference}</span> · <Time at={order.createdAt} />
          </p>
        </div>
        {order.proposal ? (
          <Link to="/admin/orders/$id" params={{ id: order.id }} className="rounded-full hover:underline">
            <Standing order={order} />
            <span className="sr-only"> {order.reference}</span>
          </Link>
        ) : (
          <Standing order={order} />
        )}
      </div>
      <OrderFacts order={order} />
      <Trouble order={order} />
      <div className={rowActs}>
        <OrderActions order={order} onDecide={onDecide} />
        <Link
          to="/admin/orders"
          search={search}
          resetScroll={false}
          data-open
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          {details.look}
          <span className="sr-only"> {order.reference}</span>
        </Link>
        <Link
          to="/admin/orders/$id"
          params={{ id: order.id }}
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          {details.details}
          <span className="sr-only"> {order.reference}</span>
        </Link>
        <WorkflowLink url={order.workflowUrl} />
        {choice}
      </div>
    </article>
  )
}

function OrderFacts({ order }: { order: AdminOrder }) {
  return (
    <Facts className="mt-3">
      <Fact name={texts.total}>
        <OrderCost order={order} />
      </Fact>
      <Fact name={texts.method}>{methodLabels[order.paymentMethod] ?? spaced(order.paymentMethod)}</Fact>
      <Fact name={texts.channel}>{order.channel.toUpperCase()}</Fact>
      <Fact name={texts.exchangeOrder}>
        {order.krakenOrderId ? (
          <Copyable text={order.krakenOrderId} what={texts.exchangeOrder} />
        ) : (
          texts.notYet
        )}
      </Fact>
      <Fact name={texts.user} wide>
        <CustomerLink id={order.userId} name={order.customerEmail} country={order.country} />{' '}
        <span className="max-sm:hidden">
          <Copyable text={order.userId} what={texts.user} className="text-muted-foreground" />
        </span>
      </Fact>
      <Fact name={texts.orderId} wide className="max-sm:hidden">
        <Copyable text={order.id} what={texts.orderId} />
      </Fact>
      <Fact name={`${texts.destination} (${networkNames[order.network] ?? order.network})`} wide>
        <Copyable text={order.destAddress} what={texts.destination} />
      </Fact>
      {order.bitgoTransferId ? (
        <Fact name={texts.transfer} wide>
          <Copyable text={order.bitgoTransferId} what={texts.transfer} />
        </Fact>
      ) : null}
    </Facts>
  )
}

function Trouble({ order }: { order: AdminOrder }) {
  const { fulfillmentError, retryCount, lastError, resolution } = order.metadata
  return (
    <div className="mt-3 space-y-2 empty:hidden">
      {order.attention ? <AttentionNotice attention={order.attention} /> : null}
      {order.status === 'failed' && fulfillmentError ? (
        <Notice tone="danger" icon={CircleAlert} title={texts.errorDetails}>
          {fulfillmentError}
        </Notice>
      ) : null}
      {order.status === 'failed' && resolution ? (
        <p className="text-sm text-muted-foreground">{texts.resolution(resolution)}</p>
      ) : null}
      {retryCount > 0 ? (
        <Notice tone="info" icon={RefreshCw} title={texts.retries(retryCount)}>
          {lastError && order.status !== 'sent' ? <LastAttempt order={order} /> : null}
        </Notice>
      ) : null}
    </div>
  )
}
