import type { PendingPayment } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { adminPayments as texts } from '@/messages/admin'
import { lookOf } from './decision-buttons'
import type { PaymentAction } from './payment-decision'

interface PaymentActionsProps {
  payment: PendingPayment
  onOpen: (action: PaymentAction) => void
}

const buttons: readonly {
  action: PaymentAction
  label: string
  weight?: 'first' | 'danger'
  card?: boolean
}[] = [
  { action: 'process', label: texts.process, weight: 'first', card: true },
  { action: 'decline', label: texts.decline, weight: 'danger', card: true },
  { action: 'confirm', label: texts.confirmReceipt, weight: 'first' },
  { action: 'reject', label: texts.reject, weight: 'danger' },
  { action: 'confirm_more', label: texts.bookMore },
]

/** What somebody can do about a payment, as its status and the server say. */
export function paymentButtons(payment: PendingPayment) {
  return buttons.filter(
    ({ action, card }) => payment.actions.includes(action) && (!card || payment.stripePaymentIntentId),
  )
}

/**
 * Process and Decline only while pending and with a payment intent id (SPEC §2); Confirm receipt and Reject for rails
 * without one, as the server says. While a decision is being carried out, the buttons are locked.
 */
export function PaymentActions({ payment, onOpen }: PaymentActionsProps) {
  if (payment.decision && payment.adminApprovalStatus === 'pending') {
    return (
      <Button size="sm" disabled>
        {texts.processing}
      </Button>
    )
  }
  return paymentButtons(payment).map(({ action, label, weight }) => (
    <Button key={action} size="sm" {...lookOf(weight)} onClick={() => onOpen(action)}>
      {label}
    </Button>
  ))
}
