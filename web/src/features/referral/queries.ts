import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getReferralCode, getReferralStats } from '@/api/sdk.gen'
import { pageOf } from '@/lib/paging'

/** A reward comes when a friend's order is sent: the page polls for it. */
const POLL_MS = 30_000

export const referralCodeQuery = queryOptions({
  queryKey: ['referrals', 'code'],
  queryFn: async ({ signal }) => (await getReferralCode({ signal })).data,
})

export const referralStatsQuery = infiniteQueryOptions({
  queryKey: ['referrals', 'stats'],
  queryFn: async ({ pageParam, signal }) => {
    const { data, response } = await getReferralStats({
      query: pageParam ? { cursor: pageParam } : {},
      signal,
    })
    return { ...pageOf(data.referrals, response), stats: data }
  },
  initialPageParam: '',
  getNextPageParam: (last) => last.next,
  refetchInterval: POLL_MS,
  staleTime: 0,
})
