import { oneOf } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const rewardStatuses = ['held', 'active', 'rewarded', 'refused', 'clawed_back'] as const

export interface RewardFilter extends QueueView {
  /** Left out: those that are held. */
  status?: (typeof rewardStatuses)[number] | 'all' | undefined
}

export function parseRewardFilter(search: Record<string, unknown>): RewardFilter {
  return { status: oneOf([...rewardStatuses, 'all'], search.status), cols: colsOf(search) }
}
