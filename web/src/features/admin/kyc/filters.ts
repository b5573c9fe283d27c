import { oneOf, text } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'

export const waitingKyc: readonly KycFilter['standing'][] = [undefined, 'on_hold', 'pending']

export const kycStandings = ['on_hold', 'pending', 'retry', 'rejected', 'approved', 'not_started'] as const

export interface KycFilter extends QueueView {
  standing?: (typeof kycStandings)[number] | 'all' | undefined
  q?: string | undefined
}

export function parseKycFilter(search: Record<string, unknown>): KycFilter {
  return {
    standing: oneOf([...kycStandings, 'all'], search.standing),
    q: text(search.q)?.slice(0, 100),
    cols: colsOf(search),
  }
}
