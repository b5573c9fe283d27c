import type { PendingPayment } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { useNow } from '@/lib/clock'
import { cardName, MISSING, timeLeft } from '@/lib/format'
import { adminPayments as texts, waitingPayment } from '@/messages/admin-payments'
import { queue } from '@/messages/admin-queue'
import { methodLabels } from '@/messages/common'
import { Age, CustomerLink, Id, RiskScore, rowLink } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import type { PaymentFilter } from './filters'
import { PaymentAmount, PaymentBadge } from './payment-standing'

/** What a payment shows as a dense row. */
export function paymentColumns(
  status: PaymentFilter['status'],
  onDetails: (payment: PendingPayment) => void,
): readonly Column<PendingPayment>[] {
  return [
    {
      key: 'reference',
      name: queue.reference,
      cell: (payment) => (
        <span className="inline-flex items-center gap-2">
          <button
            type="button"
            data-open
            aria-label={`${texts.details} ${payment.tradeHash}`}
            onClick={() => onDetails(payment)}
            className={rowLink}
          >
            {payment.tradeHash}
          </button>
          {payment.proposal ? <PaymentBadge payment={payment} /> : null}
        </span>
      ),
    },
    {
      key: 'customer',
      name: queue.customer,
      cell: ({ customerId, customerUsername, country }) => (
        <CustomerLink id={customerId} name={customerUsername} country={country} />
      ),
    },
    {
      key: 'amount',
      name: queue.amount,
      numeric: true,
      cell: (payment) => <PaymentAmount payment={payment} />,
    },
    {
      key: 'method',
      name: texts.method,
      cell: (payment) => methodLabels[payment.paymentMethod] ?? payment.paymentMethod,
    },
    {
      key: 'waits',
      name: waitingPayment.waits,
      ...(status === 'waiting' ? {} : { from: 'chosen' as const }),
      cell: ({ waitsFor }) => (waitsFor ? waitingPayment.waitsFor[waitsFor] : MISSING),
    },
    {
      key: 'since',
      name: waitingPayment.since,
      ...(status === 'waiting' ? {} : { from: 'chosen' as const }),
      cell: ({ waitsFor, createdAt }) => (waitsFor ? <Time at={createdAt} /> : MISSING),
    },
    {
      key: 'card',
      name: queue.card,
      ...(status === 'waiting' ? { from: 'chosen' as const } : {}),
      cell: (payment) => cardName(payment.cardBrand, payment.cardLast4) ?? queue.noCard,
    },
    {
      key: 'age',
      name: queue.age,
      numeric: true,
      cell: (payment) =>
        payment.expiring ? (
          <HoldLeft at={payment.captureBefore} />
        ) : (
          <Age
            since={payment.customerSubmittedAt ?? payment.createdAt}
            waits={payment.adminApprovalStatus === 'pending'}
          />
        ),
    },
    { key: 'risk', name: queue.risk, numeric: true, cell: ({ risk }) => <RiskScore risk={risk} /> },
    {
      key: 'status',
      name: queue.status,
      from: status === undefined || status === 'pending' || status === 'waiting' ? 'chosen' : 'xl',
      cell: (payment) => <PaymentBadge payment={payment} />,
    },
    {
      key: 'submitted',
      name: texts.submitted,
      from: status === 'waiting' ? 'chosen' : '2xl',
      cell: ({ customerSubmittedAt: at }) => (at ? <Time at={at} /> : texts.notYet),
    },
    {
      key: 'intent',
      name: queue.intent,
      from: 'chosen',
      cell: (payment) => <Id text={payment.stripePaymentIntentId} what={queue.intent} />,
    },
  ]
}

/** What is left of a hold that ends soon, in the column of ages. */
function HoldLeft({ at }: { at: string | null }) {
  const now = useNow(1000)
  const left = at ? Date.parse(at) - now : 0
  const said = left > 0 ? texts.holdEnds(timeLeft(left)) : texts.holdEnded
  return (
    <span className="font-medium text-danger-text" title={said}>
      {said}
    </span>
  )
}
