import { approveReward, getReferralsSummary, listAdminReferrals, refuseReward } from '@/api/admin.gen'
import type { Outcome } from '@/api/types.gen'
import type { RewardFilter } from './filters'
import { pagedQuery, polledQuery } from './polled'

export const adminReferralsQuery = (filter: RewardFilter) =>
  pagedQuery(['admin-referrals', 'list'], filter, (query, signal) => listAdminReferrals({ query, signal }))

export const referralsSummaryQuery = (filter: RewardFilter) =>
  polledQuery(
    ['admin-referrals', 'summary', filter],
    (signal) => getReferralsSummary({ query: filter, signal }),
    { keep: true },
  )

export type RewardAction = 'approve' | 'refuse'

export const rewardDecisions: Record<RewardAction, (id: string, reason: string) => Promise<Outcome>> = {
  approve: async (id, reason) => (await approveReward({ path: { id }, body: { reason } })).data,
  refuse: async (id, reason) => (await refuseReward({ path: { id }, body: { reason } })).data,
}
