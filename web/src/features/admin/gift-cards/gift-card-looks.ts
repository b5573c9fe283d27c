import type { AdminGiftCard } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { adminGiftCards } from '@/messages/admin-gift-cards'

const labels = adminGiftCards.status

/** How a gift card stands to staff, who also see what becomes of one that was paid. */
export const adminGiftCardLooks: Record<AdminGiftCard['status'], StatusLook> = {
  received: { label: labels.received, tone: 'neutral' },
  in_review: { label: labels.in_review, tone: 'pending' },
  offered: { label: labels.offered, tone: 'pending' },
  approved: { label: labels.approved, tone: 'info' },
  realised: { label: labels.realised, tone: 'success' },
  rejected: { label: labels.rejected, tone: 'danger' },
  declined: { label: labels.declined, tone: 'neutral', ended: true },
  expired: { label: labels.expired, tone: 'neutral', ended: true },
}
