import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { approveReward, getReferralsSummary, listAdminReferrals, refuseReward } from '@/api/sdk.gen'
import type { Outcome } from '@/api/types.gen'
import { toPage } from '@/lib/paging'
import type { RewardFilter } from './filters'

const POLL_MS = 15_000

export function adminReferralsQuery(filter: RewardFilter) {
  return infiniteQueryOptions({
    queryKey: ['admin-referrals', 'list', filter],
    queryFn: async ({ pageParam, signal }) =>
      toPage(
        await listAdminReferrals({
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

export function referralsSummaryQuery(filter: RewardFilter) {
  return queryOptions({
    queryKey: ['admin-referrals', 'summary', filter],
    queryFn: async ({ signal }) => (await getReferralsSummary({ query: filter, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

export type RewardAction = 'approve' | 'refuse'

export const rewardDecisions: Record<RewardAction, (id: string, reason: string) => Promise<Outcome>> = {
  approve: async (id, reason) => (await approveReward({ path: { id }, body: { reason } })).data,
  refuse: async (id, reason) => (await refuseReward({ path: { id }, body: { reason } })).data,
}
