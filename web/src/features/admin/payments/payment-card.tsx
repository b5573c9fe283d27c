import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PendingPayment } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { textLink } from '@/components/ui/text-link'
import { useNow } from '@/lib/clock'
import { cardName, timeLeft, usd } from '@/lib/format'
import { adminPayments as texts, waitingPayment } from '@/messages/admin-payments'
import { proposals } from '@/messages/admin-proposals'
import { queue } from '@/messages/admin-queue'
import { methodLabels } from '@/messages/common'
import { Fact, Facts } from '../shared/facts'
import { PhoneRow, phoneFrame, phoneLink } from '../shared/phone-row'
import { CustomerLink, RiskScore, rowActs } from '../shared/queue-cells'
import { PaymentActions } from './payment-actions'
import type { PaymentAction } from './payment-decision'
import { PaymentAmount, PaymentBadge } from './payment-standing'

interface PaymentCardProps {
  payment: PendingPayment
  onOpen: (as: PaymentAction | 'details') => void
}

/** A payment on a phone. */
export function PaymentLines({ payment, onOpen, acts }: PaymentCardProps & { acts: ReactNode }) {
  return (
    <PhoneRow
      className={phoneFrame}
      title={
        <button type="button" data-open className={phoneLink} onClick={() => onOpen('details')}>
          <span className="sr-only">{texts.details} </span>
          <span className="font-mono">{payment.tradeHash}</span>
        </button>
      }
      figure={<PaymentAmount payment={payment} />}
      about={
        <>
          {payment.customerUsername} {payment.country} ·{' '}
          {methodLabels[payment.paymentMethod] ?? payment.paymentMethod} ·{' '}
          <Time at={payment.customerSubmittedAt ?? payment.createdAt} />
        </>
      }
      badge={payment.expiring ? <HoldEnds at={payment.captureBefore} /> : <PaymentBadge payment={payment} />}
      acts={acts}
    />
  )
}

/** specification §2's card of a payment. */
export function PaymentCard({ payment, onOpen }: PaymentCardProps) {
  return (
    <article className="flex h-full min-w-0 flex-col rounded-lg border bg-card p-4 md:p-5">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="font-mono text-sm">{payment.tradeHash}</h2>
          <p className="mt-1 text-lg font-semibold tabular-nums">
            <PaymentAmount payment={payment} />
          </p>
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          {payment.expiring ? <HoldEnds at={payment.captureBefore} /> : null}
          <PaymentBadge payment={payment} />
        </div>
      </div>
      <Facts className="mt-3">
        <Fact name={texts.customer}>
          <CustomerLink id={payment.customerId} name={payment.customerUsername} country={payment.country} />
        </Fact>
        <Fact name={queue.risk}>
          <RiskScore risk={payment.risk} />
        </Fact>
        <Fact name={texts.method}>{methodLabels[payment.paymentMethod] ?? payment.paymentMethod}</Fact>
        <Fact name={queue.card}>{cardName(payment.cardBrand, payment.cardLast4) ?? queue.noCard}</Fact>
        <Fact name={texts.submitted}>
          {payment.customerSubmittedAt ? <Time at={payment.customerSubmittedAt} /> : texts.notYet}
        </Fact>
        {payment.waitsFor ? (
          <Fact name={waitingPayment.waits} wide>
            {waitingPayment.waitsFor[payment.waitsFor]}, {waitingPayment.since.toLowerCase()}{' '}
            <Time at={payment.createdAt} />
          </Fact>
        ) : null}
        {payment.stripePaymentIntentId ? (
          <Fact name={queue.intent} wide>
            <Copyable text={payment.stripePaymentIntentId} what={queue.intent} />
          </Fact>
        ) : null}
      </Facts>
      {payment.proposal ? (
        <p className="mt-3 text-sm">
          {proposals.waiting[payment.proposal.kind](usd(payment.proposal.amount))} ·{' '}
          {proposals.by(payment.proposal.proposer)}.{' '}
          <Link to="/admin/orders/$id" params={{ id: payment.orderId }} className={textLink}>
            {proposals.title}
          </Link>
        </p>
      ) : null}
      <div className={rowActs}>
        <Button variant="outline" size="sm" data-open onClick={() => onOpen('details')}>
          {texts.details}
          <span className="sr-only"> {payment.tradeHash}</span>
        </Button>
        <PaymentActions payment={payment} onOpen={onOpen} />
      </div>
    </article>
  )
}

/** The hold on the card expires: an admin must decide before it does. */
function HoldEnds({ at }: { at: string | null }) {
  const now = useNow(1000)
  const left = at ? new Date(at).getTime() - now : 0
  return (
    <StatusBadge
      look={{ label: left > 0 ? texts.holdEnds(timeLeft(left)) : texts.holdEnded, tone: 'danger' }}
      className="tabular-nums"
    />
  )
}
