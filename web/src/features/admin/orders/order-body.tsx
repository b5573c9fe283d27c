import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, Download, UserRound } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { noteAboutOrder } from '@/api/admin.gen'
import type { AdminOrderDetail } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { FullAddress } from '@/components/money/full-address'
import { Notice } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { useNow } from '@/lib/clock'
import { cardName, longTime, shortTime, timeLeft, usd } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { adminOrders, adminOrder as texts } from '@/messages/admin-order'
import { proposals } from '@/messages/admin-proposals'
import { queue } from '@/messages/admin-queue'
import { methodLabels } from '@/messages/common'
import { Fact, Facts } from '../shared/facts'
import { Notes } from '../shared/notes'
import { Person } from '../shared/person'
import { WorkflowLink } from '../shared/workflow-link'
import { retryingText } from './attempt'
import { AttentionNotice } from './attention-notice'
import { LastAttempt } from './last-attempt'
import { OrderActs } from './order-acts'
import { OrderRisk } from './order-risk'
import { References } from './references'

const record = () => import('./order-record')

const Decisions = lazy(async () => ({ default: (await record()).Decisions }))

const Ledger = lazy(async () => ({ default: (await record()).Ledger }))

const Mails = lazy(async () => ({ default: (await record()).Mails }))

const MoneyMoves = lazy(async () => ({ default: (await record()).MoneyMoves }))

const Purchases = lazy(async () => ({ default: (await record()).Purchases }))

const Story = lazy(async () => ({ default: (await record()).Story }))

const Transfers = lazy(async () => ({ default: (await record()).Transfers }))

const ProposalNotice = lazy(async () => ({ default: (await import('./proposals')).ProposalNotice }))

const Proposals = lazy(async () => ({ default: (await import('./proposals')).Proposals }))

const WaitingOffer = lazy(async () => ({ default: (await import('./waiting-offer')).WaitingOffer }))

/** Everything that staff may see of an order, and every button they have. As wide as it is given room. */
export function OrderBody({ order }: { order: AdminOrderDetail }) {
  const readsLedger = useSignedInUser().permissions.includes('read_ledger')
  return (
    <div className="@container">
      <div className="grid items-start gap-6 @4xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="min-w-0 space-y-6">
          <Situation order={order} />
          <Section title={texts.story}>
            <Story order={order} />
          </Section>
          <Section title={texts.money}>
            <MoneyMoves order={order} />
          </Section>
          {order.proposals.length > 0 ? (
            <Section title={proposals.title}>
              <Proposals proposals={order.proposals} />
            </Section>
          ) : null}
          <Section title={texts.decisions}>
            <Decisions decisions={order.decisions} />
          </Section>
          {readsLedger ? (
            <Section title={texts.ledger}>
              <Ledger postings={order.postings} />
            </Section>
          ) : null}
        </div>
        <aside className="min-w-0 space-y-6">
          <OrderFacts order={order} />
          <PaymentFacts order={order} />
          {order.references.length > 0 ? (
            <Section title={texts.references}>
              <References references={order.references} />
            </Section>
          ) : null}
          <OrderNotes order={order} />
          {order.purchases.length > 0 ? (
            <Section title={texts.purchases}>
              <Purchases order={order} />
            </Section>
          ) : null}
          {order.transfers.length > 0 ? (
            <Section title={texts.transfers}>
              <Transfers order={order} />
            </Section>
          ) : null}
          <Section title={texts.mails}>
            <Mails mails={order.mails} />
          </Section>
        </aside>
      </div>
    </div>
  )
}

function OrderNotes({ order }: { order: AdminOrderDetail }) {
  const client = useQueryClient()
  return (
    <Notes
      about={order.id}
      notes={order.notes}
      add={(body) => noteAboutOrder({ path: { id: order.id }, body: { body } })}
      onAdded={() => void client.invalidateQueries({ queryKey: ['admin-order', order.id] })}
    />
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <CardTitle className="mb-4">{title}</CardTitle>
      <Suspense>{children}</Suspense>
    </Card>
  )
}

/** What stopped, what to do about it, and the buttons. */
function Situation({ order }: { order: AdminOrderDetail }) {
  const { fulfillmentError, retryCount, lastError, resolution } = order.metadata
  const retrying = order.attention ? null : retryingText(order)
  return (
    <Card className="space-y-4">
      {order.proposal ? (
        <Suspense>
          <ProposalNotice order={order} proposal={order.proposal} keyed />
        </Suspense>
      ) : null}
      {order.barredBy !== '' && order.status !== 'sent' ? (
        <p className="text-sm">{proposals.barredBy[order.barredBy]}</p>
      ) : null}
      {order.attention ? <AttentionNotice attention={order.attention} /> : null}
      {order.risk ? <OrderRisk order={order} risk={order.risk} /> : null}
      <ChoiceLine order={order} />
      {order.offerUntil ? (
        <Suspense>
          <WaitingOffer order={order} />
        </Suspense>
      ) : null}
      {order.status === 'failed' && fulfillmentError ? (
        <Notice tone="danger" icon={CircleAlert} title={adminOrders.errorDetails}>
          {fulfillmentError}
        </Notice>
      ) : null}
      {order.status === 'failed' && resolution ? (
        <p className="text-sm text-muted-foreground">{adminOrders.resolution(resolution)}</p>
      ) : null}
      {retryCount > 0 ? (
        <p className="text-sm text-muted-foreground">
          {adminOrders.retries(retryCount)}
          {retrying ? ` · ${retrying}` : ''}
          {lastError && order.status !== 'sent' ? ' · ' : ''}
          <LastAttempt order={order} />
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        <OrderActs order={order} />
        <span className="flex flex-wrap gap-x-4 gap-y-1">
          <WorkflowLink url={order.workflowUrl} />
          <a
            href={`/api/admin/orders/${encodeURIComponent(order.id)}/proof`}
            download
            className={buttonVariants({ variant: 'link', size: 'sm' })}
          >
            {texts.proof}
            <Download aria-hidden />
          </a>
        </span>
      </div>
    </Card>
  )
}

/** What the customer was asked, and until when. */
function ChoiceLine({ order }: { order: AdminOrderDetail }) {
  const now = useNow(1000)
  const { choice } = order
  if (!choice) return null
  const text = choice.dueAt
    ? texts.choiceDue(shortTime(choice.dueAt), timeLeft(new Date(choice.dueAt).getTime() - now))
    : choice.keptUntil
      ? texts.choiceKept(shortTime(choice.keptUntil))
      : undefined
  return text ? (
    <Notice tone="info" icon={UserRound} title={texts.choice}>
      <span className="tabular-nums">{text}</span>
    </Notice>
  ) : null
}

function OrderFacts({ order }: { order: AdminOrderDetail }) {
  return (
    <Section title={texts.facts}>
      <Facts>
        <Fact name={texts.customer} wide>
          <Link to="/admin/customers/$id" params={{ id: order.userId }} className={textLink}>
            <Person name={order.customerName} /> · <Person name={order.customerEmail} />
          </Link>
        </Fact>
        <Fact name={adminOrders.user} wide>
          <Copyable text={order.userId} what={adminOrders.user} />
        </Fact>
        <Fact name={adminOrders.orderId} wide>
          <Copyable text={order.id} what={adminOrders.orderId} />
        </Fact>
        <Fact name={adminOrders.destination} wide>
          <FullAddress address={order.destAddress} network={order.network} />
        </Fact>
        {order.txid ? (
          <Fact name={adminOrders.txid} wide>
            <Copyable text={order.txid} what={adminOrders.txid} />
          </Fact>
        ) : null}
        <Fact name={texts.basePrice}>{usd(order.basePrice)}</Fact>
        <Fact name={texts.fee}>{usd(order.paymentMethodFee)}</Fact>
        <Fact name={texts.discount}>{usd(order.volumeDiscount)}</Fact>
        <Fact name={texts.unitPrice}>{usd(order.unitPrice)}</Fact>
        <Fact name={adminOrders.created} wide>
          <Time at={order.createdAt} long />
        </Fact>
        <Fact name={adminOrders.channel}>{order.channel.toUpperCase()}</Fact>
      </Facts>
    </Section>
  )
}

function PaymentFacts({ order }: { order: AdminOrderDetail }) {
  const { payment } = order
  return (
    <Section title={texts.payment}>
      <Facts>
        <Fact name={adminOrders.method}>{methodLabels[order.paymentMethod] ?? order.paymentMethod}</Fact>
        <Fact name={queue.card}>{cardName(payment.cardBrand, payment.cardLast4) ?? queue.noCard}</Fact>
        <Fact name={texts.total}>{usd(order.total)}</Fact>
        <Fact name={texts.received}>{usd(order.received)}</Fact>
        <Fact name={texts.refunded}>{usd(order.refunded)}</Fact>
        {payment.captureBefore && payment.adminApprovalStatus === 'pending' ? (
          <Fact name={texts.captureBefore}>{longTime(payment.captureBefore)}</Fact>
        ) : null}
        {payment.stripePaymentIntentId ? (
          <Fact name={queue.intent} wide>
            <Copyable text={payment.stripePaymentIntentId} what={queue.intent} />
          </Fact>
        ) : null}
      </Facts>
    </Section>
  )
}
