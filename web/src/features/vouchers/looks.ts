import type { RedeemedVoucher } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { voucherStatus as labels } from '@/messages/vouchers'

/** The status of a redeemed voucher, as colour and label. */
export const voucherLooks: Record<RedeemedVoucher['status'], StatusLook> = {
  accepted: { label: labels.accepted, tone: 'pending' },
  fulfilling: { label: labels.fulfilling, tone: 'progress' },
  filled: { label: labels.filled, tone: 'progress' },
  sent: { label: labels.sent, tone: 'success' },
  restored: { label: labels.restored, tone: 'neutral', ended: true },
}
