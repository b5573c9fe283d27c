import {
  closeTicketForCustomer,
  getAdminTicket,
  getTicketsSummary,
  listAdminTickets,
  reopenTicket,
  replyToTicket,
  takeTicket,
} from '@/api/admin.gen'
import type { AdminTicketDetail } from '@/api/types.gen'
import type { TicketFilter } from './filters'
import { pagedQuery, polledQuery } from './polled'

export const adminTicketsQuery = (filter: TicketFilter) =>
  pagedQuery(['admin-tickets', 'list'], filter, (query, signal) => listAdminTickets({ query, signal }))

export const ticketsSummaryQuery = polledQuery(['admin-tickets', 'summary'], (signal) =>
  getTicketsSummary({ signal }),
)

export const adminTicketQuery = (id: string) =>
  polledQuery(['admin-ticket', id], (signal) => getAdminTicket({ path: { id }, signal }))

export const ticketActions = {
  take: async (id: string): Promise<AdminTicketDetail> => (await takeTicket({ path: { id } })).data,
  close: async (id: string): Promise<AdminTicketDetail> =>
    (await closeTicketForCustomer({ path: { id } })).data,
  reopen: async (id: string): Promise<AdminTicketDetail> => (await reopenTicket({ path: { id } })).data,
  reply: async (id: string, message: string, key: string): Promise<AdminTicketDetail> =>
    (await replyToTicket({ path: { id }, body: { message }, headers: { 'Idempotency-Key': key } })).data,
}
