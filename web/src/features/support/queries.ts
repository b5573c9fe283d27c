import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { closeTicket, createTicket, getTicket, listTickets, writeInTicket } from '@/api/sdk.gen'
import type { NewTicket } from '@/api/types.gen'
import { linesOf } from '@/lib/clean'
import { toPage } from '@/lib/paging'

/** As often as orders; events make it sooner. */
const POLL_MS = 10_000

/** specification §9: recent tickets on the dashboard. */
const RECENT = 3

export const recentTicketsQuery = queryOptions({
  queryKey: ['tickets', 'recent'],
  queryFn: async ({ signal }) => (await listTickets({ query: { limit: RECENT }, signal })).data,
  staleTime: 0,
})

export const ticketsQuery = infiniteQueryOptions({
  queryKey: ['tickets', 'all'],
  queryFn: async ({ pageParam, signal }) =>
    toPage(await listTickets({ query: pageParam ? { cursor: pageParam } : {}, signal })),
  initialPageParam: '',
  getNextPageParam: (last) => last.next,
  staleTime: 0,
})

export function ticketQuery(id: string) {
  return queryOptions({
    queryKey: ['ticket', id],
    queryFn: async ({ signal }) => (await getTicket({ path: { id }, signal })).data,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export async function ask(ticket: NewTicket, key: string) {
  return (
    await createTicket({
      body: { ...ticket, message: linesOf(ticket.message) },
      headers: { 'Idempotency-Key': key },
    })
  ).data
}

export async function write(id: string, message: string, key: string) {
  return (
    await writeInTicket({
      path: { id },
      body: { message: linesOf(message) },
      headers: { 'Idempotency-Key': key },
    })
  ).data
}

export async function close(id: string) {
  return (await closeTicket({ path: { id } })).data
}
