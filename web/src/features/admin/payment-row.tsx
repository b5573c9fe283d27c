import type { PendingPayment } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { paymentLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { useNow } from '@/lib/clock'
import { cardName, timeLeft, usd } from '@/lib/format'
import { adminPayments as texts } from '@/messages/admin'
import { queue } from '@/messages/admin-queue'
import { methodLabels } from '@/messages/common'
import type { PaymentFilter } from './filters'
import { paymentButtons } from './payment-actions'
import type { PaymentAction } from './payment-decision'
import { Age, CustomerLink, Id, RiskScore, rowLink } from './queue-cells'
import type { RowAct } from './queue-keys'
import type { Column } from './queue-table'
import { type MenuItem, RowMenu } from './row-menu'

export type PaymentAs = PaymentAction | 'details'

const keys: Partial<Record<PaymentAction, string>> = {
  process: 'p',
  confirm: 'p',
  confirm_more: 'p',
  decline: 'd',
  reject: 'd',
}

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
        <button
          type="button"
          data-open
          aria-label={`${texts.details} ${payment.tradeHash}`}
          onClick={() => onDetails(payment)}
          className={rowLink}
        >
          {payment.tradeHash}
        </button>
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
      cell: ({ amount, currency }) => (
        <>
          <span className="font-medium">{usd(amount)}</span>{' '}
          <span className="text-xs text-muted-foreground">{currency}</span>
        </>
      ),
    },
    {
      key: 'method',
      name: texts.method,
      cell: (payment) => methodLabels[payment.paymentMethod] ?? payment.paymentMethod,
    },
    {
      key: 'card',
      name: texts.card,
      cell: (payment) => cardName(payment.cardBrand, payment.cardLast4) ?? texts.noCard,
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
      from: status === undefined || status === 'pending' ? 'chosen' : 'xl',
      cell: (payment) => <StatusBadge look={paymentLook(payment.adminApprovalStatus)} />,
    },
    {
      key: 'submitted',
      name: texts.submitted,
      from: '2xl',
      cell: ({ customerSubmittedAt: at }) => (at ? <Time at={at} /> : texts.notYet),
    },
    {
      key: 'intent',
      name: texts.intent,
      from: 'chosen',
      cell: (payment) => <Id text={payment.stripePaymentIntentId} what={texts.intent} />,
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

interface PaymentRowActionsProps {
  payment: PendingPayment
  onOpen: (as: PaymentAs) => void
}

/** The one act a payment waits for, and a menu with the rest. */
export function PaymentRowActions({ payment, onOpen }: PaymentRowActionsProps) {
  const busy = payment.decision && payment.adminApprovalStatus === 'pending'
  const shown = busy ? [] : paymentButtons(payment)
  const first = shown.find(({ weight }) => weight === 'first')
  const items: MenuItem[] = shown
    .filter((button) => button !== first)
    .map(({ action, label, weight }) => ({
      label,
      ...(keys[action] ? { shortcut: keys[action] } : {}),
      danger: weight === 'danger',
      run: () => onOpen(action),
    }))
  return (
    <>
      {busy ? <span className="text-muted-foreground">{texts.processing}</span> : null}
      {first ? (
        <Button
          size="sm"
          variant="outline"
          className="px-2.5 md:h-7"
          aria-keyshortcuts="p"
          onClick={() => onOpen(first.action)}
        >
          {first.label}
          <span className="sr-only"> {payment.tradeHash}</span>
        </Button>
      ) : null}
      <RowMenu
        row={payment.tradeHash}
        items={[
          ...items,
          { label: texts.details, run: () => onOpen('details') },
          { label: texts.order, link: { to: '/admin/orders/$id', params: { id: payment.orderId } } },
          { label: texts.customer, link: { to: '/admin/customers/$id', params: { id: payment.customerId } } },
        ]}
      />
    </>
  )
}

/** The keys of the payments' queue: P processes or confirms, D declines or rejects. */
export function paymentActs(
  open: (payment: PendingPayment, as: PaymentAs) => void,
): readonly RowAct<PendingPayment>[] {
  const act = (key: string, label: string, action: PaymentAction): RowAct<PendingPayment> => ({
    key,
    label,
    can: (payment) => paymentButtons(payment).some((button) => button.action === action) && !payment.decision,
    run: (payment) => open(payment, action),
  })
  return [
    act('p', texts.process, 'process'),
    act('p', texts.confirmReceipt, 'confirm'),
    act('d', texts.decline, 'decline'),
    act('d', texts.reject, 'reject'),
  ]
}
