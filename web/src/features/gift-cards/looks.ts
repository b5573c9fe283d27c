import type { GiftCard } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { giftCardStatus as labels } from '@/messages/gift-cards'

/** The status of a customer's gift card, as colour and label. */
export const giftCardLooks: Record<GiftCard['status'], StatusLook> = {
  in_review: { label: labels.in_review, tone: 'pending' },
  offered: { label: labels.offered, tone: 'pending' },
  approved: { label: labels.approved, tone: 'success' },
  rejected: { label: labels.rejected, tone: 'danger' },
  declined: { label: labels.declined, tone: 'neutral', ended: true },
  expired: { label: labels.expired, tone: 'neutral', ended: true },
}
