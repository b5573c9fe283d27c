import { approveReward, getReferralsSummary, listAdminReferrals, refuseReward } from '@/api/admin.gen'
import type { Outcome } from '@/api/types.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import { shownStatus } from '../shared/queue-filter'
import type { RewardFilter } from './filters'

export const adminReferralsQuery = (filter: RewardFilter) =>
  pagedQuery(
    ['admin-referrals', 'list'],
    { status: shownStatus(filter.status, undefined, 'held') },
    (query, signal) => listAdminReferrals({ query, signal }),
  )

export const referralsSummaryQuery = polledQuery(['admin-referrals', 'summary'], (signal) =>
  getReferralsSummary({ signal }),
)

export type RewardAction = 'approve' | 'refuse'

export const rewardDecisions: Record<RewardAction, (id: string, reason: string) => Promise<Outcome>> = {
  approve: async (id, reason) => (await approveReward({ path: { id }, body: { reason } })).data,
  refuse: async (id, reason) => (await refuseReward({ path: { id }, body: { reason } })).data,
}
