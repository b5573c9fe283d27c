import { infiniteQueryOptions } from '@tanstack/react-query'
import { getBalance } from '@/api/sdk.gen'
import { pageOf } from '@/lib/paging'

/** The balance changes with orders: the page follows their events, and polls as the order lists do. */
const POLL_MS = 10_000

export const balanceQuery = infiniteQueryOptions({
  queryKey: ['balance'],
  queryFn: async ({ pageParam, signal }) => {
    const { data, response } = await getBalance({ query: pageParam ? { cursor: pageParam } : {}, signal })
    const { entries, ...holdings } = data
    return { ...pageOf(entries, response), ...holdings }
  },
  initialPageParam: '',
  getNextPageParam: (last) => last.next,
  refetchInterval: POLL_MS,
  staleTime: 0,
})
