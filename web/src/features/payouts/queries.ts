import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { cancelPayout, getPayout, listPayouts, requestPayout } from '@/api/sdk.gen'
import type { NewPayout, Outcome, Payout, PayoutDetail } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { toPage } from '@/lib/paging'

/** As often as orders; events make it sooner. */
const POLL_MS = 10_000

export const payoutsQuery = infiniteQueryOptions({
  queryKey: ['payouts'],
  queryFn: async ({ pageParam, signal }) =>
    toPage(await listPayouts({ query: pageParam ? { cursor: pageParam } : {}, signal })),
  initialPageParam: '',
  getNextPageParam: (last) => last.next,
  refetchInterval: POLL_MS,
  staleTime: 0,
})

/** Nothing changes any more: a paid one may still be sent back. */
export function isOver({ status }: Payout): boolean {
  return status === 'rejected' || status === 'cancelled' || status === 'returned'
}

export function payoutQuery(id: string) {
  return queryOptions({
    queryKey: ['payout', id],
    queryFn: async ({ signal }): Promise<PayoutDetail> => (await getPayout({ path: { id }, signal })).data,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : POLL_MS),
    staleTime: 0,
  })
}

export async function request(body: NewPayout, key: string, code?: string): Promise<Payout> {
  const { data } = await requestPayout({
    body,
    headers: { 'Idempotency-Key': key, ...withCode(code).headers },
  })
  return data
}

export const cancel = async (id: string): Promise<Outcome> => (await cancelPayout({ path: { id } })).data
