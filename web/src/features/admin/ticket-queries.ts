import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  closeTicketForCustomer,
  getAdminTicket,
  getTicketsSummary,
  listAdminTickets,
  reopenTicket,
  replyToTicket,
  takeTicket,
} from '@/api/sdk.gen'
import type { AdminTicketDetail } from '@/api/types.gen'
import { toPage } from '@/lib/paging'
import type { TicketFilter } from './filters'

const POLL_MS = 15_000

export function adminTicketsQuery(filter: TicketFilter) {
  return infiniteQueryOptions({
    queryKey: ['admin-tickets', 'list', filter],
    queryFn: async ({ pageParam, signal }) =>
      toPage(
        await listAdminTickets({ query: { ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export const ticketsSummaryQuery = queryOptions({
  queryKey: ['admin-tickets', 'summary'],
  queryFn: async ({ signal }) => (await getTicketsSummary({ signal })).data,
  refetchInterval: POLL_MS,
  staleTime: 0,
})

export function adminTicketQuery(id: string) {
  return queryOptions({
    queryKey: ['admin-ticket', id],
    queryFn: async ({ signal }) => (await getAdminTicket({ path: { id }, signal })).data,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export const ticketActions = {
  take: async (id: string): Promise<AdminTicketDetail> => (await takeTicket({ path: { id } })).data,
  close: async (id: string): Promise<AdminTicketDetail> =>
    (await closeTicketForCustomer({ path: { id } })).data,
  reopen: async (id: string): Promise<AdminTicketDetail> => (await reopenTicket({ path: { id } })).data,
  reply: async (id: string, message: string): Promise<AdminTicketDetail> =>
    (await replyToTicket({ path: { id }, body: { message } })).data,
}
