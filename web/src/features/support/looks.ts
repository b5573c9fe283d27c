import type { Ticket } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { ticketStatus } from '@/messages/support'

/** The status of a ticket, as colour and label. */
export const ticketLooks: Record<Ticket['status'], StatusLook> = {
  open: { label: ticketStatus.open, tone: 'pending' },
  in_progress: { label: ticketStatus.in_progress, tone: 'info' },
  closed: { label: ticketStatus.closed, tone: 'neutral', ended: true },
}
