import type { PendingPayment } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { paymentLook } from '@/components/status/status'
import { compare } from '@/lib/money'
import { misfits } from '@/messages/admin-payments'
import { proposals } from '@/messages/admin-proposals'
import { Cost } from '../shared/queue-cells'

/** What came of a payment and does not fit its order; null where nothing waits for its customer's choice. */
const received = ({ adminApprovalStatus, receivedAmount }: PendingPayment) =>
  adminApprovalStatus === 'pending' ? receivedAmount : null

/** Where a payment stands, as its row, card and details say it. */
export function PaymentBadge({ payment }: { payment: PendingPayment }) {
  const came = received(payment)
  if (payment.proposal) return <StatusBadge look={{ label: proposals.badge, tone: 'pending' }} />
  if (came === null) return <StatusBadge look={paymentLook(payment.adminApprovalStatus)} />
  const fits = compare(came, payment.amount)
  const misfit = payment.orderStatus === 'failed' || fits === 0 ? 'late' : fits < 0 ? 'short' : 'over'
  return <StatusBadge look={{ label: misfits[misfit], tone: 'pending' }} />
}

/** What a payment is for, and how much of it came. */
export function PaymentAmount({ payment }: { payment: PendingPayment }) {
  return (
    <>
      <Cost amount={payment.amount} received={received(payment)} />{' '}
      <span className="text-xs font-normal text-muted-foreground">{payment.currency}</span>
    </>
  )
}
