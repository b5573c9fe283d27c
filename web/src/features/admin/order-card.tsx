import { CircleAlert, ExternalLink, RefreshCw, UserRound } from 'lucide-react'
import type { AdminOrder } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { orderLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { crypto, shortTime, spaced, usd } from '@/lib/format'
import { admin, adminOrders as texts } from '@/messages/admin'
import { common, networkNames } from '@/messages/common'
import { Fact, Facts } from './facts'
import type { OrderAction } from './order-decision'

interface OrderCardProps {
  order: AdminOrder
  onDecide: (action: OrderAction) => void
}

/** SPEC §2's order card of the back office. */
export function OrderCard({ order, onDecide }: OrderCardProps) {
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
        <div className="flex flex-wrap gap-2">
          {order.held ? <StatusBadge look={{ label: texts.held, tone: 'pending' }} /> : null}
          <StatusBadge look={orderLook(order.status)} />
        </div>
      </div>
      <OrderFacts order={order} />
      <Trouble order={order} />
      <div className="mt-auto flex flex-wrap items-center gap-2 pt-4">
        <OrderActions order={order} onDecide={onDecide} />
        {order.workflowUrl ? (
          <a
            href={order.workflowUrl}
            target="_blank"
            rel="noreferrer"
            className={buttonVariants({ variant: 'ghost', size: 'sm' })}
          >
            {admin.openWorkflow}
            <ExternalLink aria-hidden />
            <span className="sr-only">({common.openInNewTab})</span>
          </a>
        ) : null}
      </div>
    </article>
  )
}

function OrderFacts({ order }: { order: AdminOrder }) {
  return (
    <Facts className="mt-3">
      <Fact name={texts.total}>
        <span className="font-semibold tabular-nums">{usd(order.quoteFiat)}</span>
      </Fact>
      <Fact name={texts.method}>{spaced(order.paymentMethod)}</Fact>
      <Fact name={texts.channel}>{order.channel.toUpperCase()}</Fact>
      <Fact name={texts.exchangeOrder}>
        {order.krakenOrderId ? (
          <Copyable text={order.krakenOrderId} what={texts.exchangeOrder} />
        ) : (
          texts.notYet
        )}
      </Fact>
      <Fact name={texts.user} wide>
        {order.customerEmail}{' '}
        <Copyable text={order.userId} what={texts.user} className="text-muted-foreground" />
      </Fact>
      <Fact name={texts.orderId} wide>
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
      {order.attention ? (
        <Notice
          tone="pending"
          icon={UserRound}
          title={`${texts.attention}: ${texts.reasons[order.attention.reason] ?? spaced(order.attention.reason)}`}
        >
          {texts.since(shortTime(order.attention.since))}
        </Notice>
      ) : null}
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
          {lastError ? texts.lastError(lastError) : null}
        </Notice>
      ) : null}
    </div>
  )
}

const buttons: readonly { action: OrderAction; label: string; primary?: boolean }[] = [
  { action: 'fulfill', label: texts.fulfill, primary: true },
  { action: 'retry', label: texts.retry, primary: true },
  { action: 'resume', label: texts.resume, primary: true },
  { action: 'amend_address', label: texts.amend },
  { action: 'mark_sent', label: texts.markSent },
  { action: 'hold', label: texts.hold },
  { action: 'refund', label: texts.refund },
]

/** A Fulfill button only for payment_approved orders (SPEC §2); the rest as the server says what this person may do. */
function OrderActions({ order, onDecide }: OrderCardProps) {
  const may = (action: OrderAction) => order.actions.includes(action)
  if (order.decision) {
    return (
      <Button size="sm" disabled>
        {texts.working}
      </Button>
    )
  }
  const shown = buttons.filter(
    ({ action }) => may(action) && (action !== 'fulfill' || order.status === 'payment_approved'),
  )
  return shown.map(({ action, label, primary }) => (
    <Button key={action} size="sm" variant={primary ? 'default' : 'outline'} onClick={() => onDecide(action)}>
      {label}
      <span className="sr-only"> {order.reference}</span>
    </Button>
  ))
}
