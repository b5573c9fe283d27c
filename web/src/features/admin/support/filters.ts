import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const ticketStatuses = ['open', 'in_progress', 'closed'] as const

export const ticketDesks = ['mine', 'nobody'] as const

export const ticketSubjects = ['general', 'transaction', 'account', 'technical', 'kyc', 'voucher'] as const

export interface TicketFilter extends QueueView {
  status?: (typeof ticketStatuses)[number] | 'all' | undefined
  desk?: (typeof ticketDesks)[number] | undefined
  subject?: (typeof ticketSubjects)[number] | undefined
  q?: string | undefined
}

export function parseTicketFilter(search: Record<string, unknown>): TicketFilter {
  return {
    cols: colsOf(search),
    status: oneOf([...ticketStatuses, 'all'], search.status),
    desk: oneOf(ticketDesks, search.desk),
    subject: oneOf(ticketSubjects, search.subject),
    q: text(search.q)?.slice(0, 100),
  }
}
