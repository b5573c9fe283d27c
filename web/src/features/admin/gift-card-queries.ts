import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  approveGiftCard,
  getAdminGiftCard,
  getGiftCardsSummary,
  listAdminGiftCards,
  realiseGiftCard,
  rejectGiftCard,
  revealGiftCard,
} from '@/api/sdk.gen'
import type { Outcome } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { toPage } from '@/lib/paging'
import type { GiftCardFilter } from './filters'

const POLL_MS = 15_000

export function adminGiftCardsQuery(filter: GiftCardFilter) {
  return infiniteQueryOptions({
    queryKey: ['admin-gift-cards', 'list', filter],
    queryFn: async ({ pageParam, signal }) =>
      toPage(
        await listAdminGiftCards({
          query: { ...filter, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export function giftCardsSummaryQuery(filter: GiftCardFilter) {
  return queryOptions({
    queryKey: ['admin-gift-cards', 'summary', filter],
    queryFn: async ({ signal }) => (await getGiftCardsSummary({ query: filter, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export function adminGiftCardQuery(id: string) {
  return queryOptions({
    queryKey: ['admin-gift-cards', 'one', id],
    queryFn: async ({ signal }) => (await getAdminGiftCard({ path: { id }, signal })).data,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export const cardDecisions = {
  approve: async (id: string, value: string): Promise<Outcome> =>
    (await approveGiftCard({ path: { id }, body: { value } })).data,
  reject: async (id: string, reason: string): Promise<Outcome> =>
    (await rejectGiftCard({ path: { id }, body: { reason } })).data,
  realise: async (id: string, amount: string, reference: string): Promise<Outcome> =>
    (await realiseGiftCard({ path: { id }, body: { amount, reference } })).data,
}

/** What is printed on the card: asked for by a person, kept on the screen only. */
export async function reveal(id: string, code?: string) {
  return (await revealGiftCard({ path: { id }, ...withCode(code) })).data
}
