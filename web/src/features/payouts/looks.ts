import type { Payout } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { payoutStatus } from '@/messages/payouts'

/** The status of a payout, as colour and the reader's label. */
export function payoutLooksIn(
  labels: Record<Payout['status'], string>,
): Record<Payout['status'], StatusLook> {
  return {
    unconfirmed: { label: labels.unconfirmed, tone: 'pending' },
    requested: { label: labels.requested, tone: 'pending' },
    approved: { label: labels.approved, tone: 'info' },
    paid: { label: labels.paid, tone: 'success' },
    rejected: { label: labels.rejected, tone: 'danger' },
    cancelled: { label: labels.cancelled, tone: 'neutral', ended: true },
    returned: { label: labels.returned, tone: 'danger' },
  }
}

export const payoutLooks = payoutLooksIn(payoutStatus)
