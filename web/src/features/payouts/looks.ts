import type { Payout } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { payoutStatus as labels } from '@/messages/payouts'

/** How a customer's payout stands, in colour and word. */
export const payoutLooks: Record<Payout['status'], StatusLook> = {
  requested: { label: labels.requested, tone: 'pending' },
  approved: { label: labels.approved, tone: 'info' },
  paid: { label: labels.paid, tone: 'success' },
  rejected: { label: labels.rejected, tone: 'danger' },
  cancelled: { label: labels.cancelled, tone: 'neutral', ended: true },
  returned: { label: labels.returned, tone: 'danger' },
}
