import { CircleCheck, Clock, ExternalLink, LoaderCircle } from 'lucide-react'
import type { OrderDetail } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { Pair, Pairs } from '@/components/money/money'
import { Notice } from '@/components/states/states'

import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { usd } from '@/lib/format'
import { compare, remainder } from '@/lib/money'
import { useSignedInUser } from '@/lib/session'
import { orderPage } from '@/messages/order-page'
import { orders } from '@/messages/orders'
import { TimeLeft } from './countdown'
import { EvidenceCard } from './evidence-card'

/** How to pay what is still to be paid. */
export function PaymentCard({ order, returned }: { order: OrderDetail; returned: boolean }) {
  // Money that came late, or beyond the price, is not requested again.
  const word = order.attention?.reason
  const { hold } = useSignedInUser()
  // From the balance nothing is to be paid: it is confirmed.
  if (order.status !== 'pending' || word === 'money_over' || order.paymentMethod === 'balance') return null
  // On hold no payment is requested; an earlier one can still be proved.
  if (hold === 'frozen' && !order.authorised) return <EvidenceCard order={order} />
  // The card above says why there is no page.
  if (order.paymentMethod === 'card' && word && !order.authorised) return null
  if (order.paymentMethod === 'card') return <CardPayment order={order} returned={returned} />
  return <TransferPayment order={order} />
}

/** `returned`: the payment page sent the customer back as paid; true only when the server has seen it too. */
function CardPayment({ order, returned }: { order: OrderDetail; returned: boolean }) {
  const { checkout, authorisedAt, dueAt, declineCode } = order.payment
  if (authorisedAt || checkout?.state === 'done') {
    return (
      <Notice tone="success" icon={CircleCheck} title={orderPage.pay.authorised} role="status">
        <p>{orderPage.pay.authorisedText}</p>
        <p className="mt-1">{orders.leave}</p>
      </Notice>
    )
  }
  if (returned && !declineCode) {
    return (
      <Notice tone="info" icon={Clock} title={orderPage.pay.confirming} role="status">
        {orderPage.pay.confirmingText}
      </Notice>
    )
  }
  return (
    <Card>
      <CardTitle>{orderPage.pay.title}</CardTitle>
      <CardLead>{orderPage.pay.text}</CardLead>
      {declineCode ? (
        <Notice tone="pending" icon={Clock} title={orderPage.pay.refused} className="mt-4">
          {orderPage.pay.again}
        </Notice>
      ) : null}
      <div className="mt-5" aria-live="polite">
        {checkout?.state === 'ready' && checkout.url ? (
          <a href={checkout.url} className={buttonVariants({ size: 'lg' })}>
            {orderPage.pay.button}
            <span className="tabular-nums">{usd(order.total)}</span>
            <ExternalLink aria-hidden />
          </a>
        ) : (
          <p className="flex items-start gap-2 text-sm">
            <LoaderCircle aria-hidden className="mt-0.5 size-4 animate-spin" />
            <span>
              <span className="block font-medium">{orderPage.pay.preparing}</span>
              <span className="text-muted-foreground">{orderPage.pay.preparingHint}</span>
            </span>
          </p>
        )}
      </div>
      <p className="mt-4 text-sm text-muted-foreground">
        <TimeLeft at={dueAt} words={orderPage.pay.until} over={orderPage.pay.over} />
      </p>
    </Card>
  )
}

/** How to pay, or how to pay the rest when a part has come. */
function TransferPayment({ order }: { order: OrderDetail }) {
  const { payment } = order
  const short = compare(order.received, '0') > 0
  const missing = usd(remainder(order.total, order.received))
  const deadline = short ? (order.choice?.dueAt ?? payment.dueAt) : payment.dueAt
  const lines = payment.instructions.map((line) => {
    if (line.value !== `$${order.total}`) return { ...line, copied: line.value }
    // A bank's form takes the number alone.
    if (!short) return { ...line, copied: order.total }
    return {
      ...line,
      label: orderPage.transfer.rest,
      value: missing,
      copied: remainder(order.total, order.received),
    }
  })
  return (
    <>
      <Card>
        <CardTitle>{short ? orderPage.transfer.titleRest : orderPage.transfer.title}</CardTitle>
        <CardLead>{short ? orderPage.transfer.leadRest(missing) : orderPage.transfer.lead}</CardLead>
        <Pairs className="mt-4">
          {lines.map((line) => (
            <Pair key={line.label} name={line.label}>
              {line.copy ? <Copyable text={line.copied} shown={line.value} what={line.label} /> : line.value}
            </Pair>
          ))}
          <Pair name={orderPage.transfer.deadline}>
            <Time at={deadline} long />
            <span className="block text-muted-foreground">
              <TimeLeft at={deadline} words={orderPage.transfer.left} over={orderPage.pay.over} />
            </span>
          </Pair>
        </Pairs>
        <p className="mt-4 text-sm text-muted-foreground">
          {orderPage.transfer.referenceHint} {orderPage.transfer.received}
        </p>
      </Card>
      <EvidenceCard order={order} />
    </>
  )
}
