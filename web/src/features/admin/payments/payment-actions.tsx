import type { PendingPayment } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { admin } from '@/messages/admin'
import { adminPayments as texts } from '@/messages/admin-payments'
import { allowed, type DecisionButton, lookOf } from '../shared/decision-buttons'
import type { PaymentAction } from './payment-decision'

interface PaymentActionsProps {
  payment: PendingPayment
  onOpen: (action: PaymentAction) => void
}

/** P takes the payment, D refuses it, on a card as on any other rail. */
export const paymentButtons: readonly DecisionButton<PaymentAction>[] = [
  { action: 'process', label: texts.process, weight: 'first', shortcut: 'p' },
  { action: 'decline', label: texts.decline, weight: 'danger', shortcut: 'd' },
  { action: 'confirm', label: texts.confirmReceipt, weight: 'first', shortcut: 'p' },
  { action: 'reject', label: texts.reject, weight: 'danger', shortcut: 'd' },
  { action: 'confirm_more', label: texts.bookMore, shortcut: 'b' },
]

/** The possible acts on a payment, by its status and the server's answer. */
export function paymentMay({ actions, stripePaymentIntentId }: PendingPayment): readonly string[] {
  return actions.filter((action) => stripePaymentIntentId || (action !== 'process' && action !== 'decline'))
}

/** A decision about the payment is being executed: until it ends no other can be made. */
export const paymentBusy = ({ decision, adminApprovalStatus }: PendingPayment) =>
  Boolean(decision) && adminApprovalStatus === 'pending'

/**
 * Process and Decline only while pending and with a payment intent id (specification §2); Confirm receipt and
 * Reject for rails without one, as the server says. While a decision is being executed, the buttons are
 * locked.
 */
export function PaymentActions({ payment, onOpen }: PaymentActionsProps) {
  if (paymentBusy(payment)) {
    return (
      <Button size="sm" disabled>
        {admin.processing}
      </Button>
    )
  }
  return (
    <>
      {allowed(paymentButtons, paymentMay(payment)).map(({ action, label, weight }) => (
        <Button key={action} size="sm" {...lookOf(weight)} onClick={() => onOpen(action)}>
          {label}
        </Button>
      ))}
    </>
  )
}
