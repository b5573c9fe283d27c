import {
  assignTicket,
  closeTicketForCustomer,
  getAdminTicket,
  getTicketsSummary,
  listAdminTickets,
  listAnswerers,
  noteOnTicket,
  reopenTicket,
  replyToTicket,
  takeTicket,
} from '@/api/admin.gen'
import type { AdminTicketDetail } from '@/api/types.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import { asked, shownStatus } from '../shared/queue-filter'
import type { TicketFilter } from './filters'

export const adminTicketsQuery = (filter: TicketFilter) =>
  pagedQuery(
    ['admin-tickets', 'list'],
    {
      ...asked(filter),
      status: shownStatus(filter.status, filter.q ?? filter.desk ?? filter.subject, 'open'),
    },
    (query, signal) => listAdminTickets({ query, signal }),
  )

export const ticketsSummaryQuery = (filter: TicketFilter) =>
  polledQuery(
    ['admin-tickets', 'summary', filter],
    (signal) => getTicketsSummary({ query: asked(filter), signal }),
    {
      keep: true,
    },
  )

export const adminTicketQuery = (id: string) =>
  polledQuery(['admin-ticket', id], (signal) => getAdminTicket({ path: { id }, signal }))

export const answerersQuery = polledQuery(['admin-tickets', 'answerers'], (signal) =>
  listAnswerers({ signal }),
)

type Acted = Promise<AdminTicketDetail>

export const ticketActions = {
  take: async (id: string): Acted => (await takeTicket({ path: { id } })).data,
  /**
   * `from` is the assignee that the page shows: another admin's assignment in the meantime is not
   * overwritten.
   */
  assign: async (id: string, assigneeId: string, from: string): Acted =>
    (await assignTicket({ path: { id }, body: { assigneeId, from } })).data,
  close: async (id: string, reason: string): Acted =>
    (await closeTicketForCustomer({ path: { id }, body: { reason } })).data,
  reopen: async (id: string): Acted => (await reopenTicket({ path: { id } })).data,
  note: async (id: string, body: string): Acted =>
    (await noteOnTicket({ path: { id }, body: { body } })).data,
  reply: async (id: string, message: string, close: boolean, key: string): Acted =>
    (await replyToTicket({ path: { id }, body: { message, close }, headers: { 'Idempotency-Key': key } }))
      .data,
}
