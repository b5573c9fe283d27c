import {
  approveBreak,
  endBreak,
  getBreak,
  getReconciliation,
  listBreaks,
  reconcileNow,
  rejectBreak,
  resolveBreak,
} from '@/api/admin.gen'
import type { ReconciliationBreak } from '@/api/types.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { BreakFilter } from './filters'

const root = 'admin-reconciliation'
export const reconciliationKey = [root]

export const breaksQuery = ({ view, holder }: BreakFilter) =>
  pagedQuery(
    [root, 'breaks'],
    { ...(view === 'closed' ? { status: view } : {}), ...(holder ? { holder } : {}) },
    (query, signal) => listBreaks({ query, signal }),
  )

export const reconciliationQuery = polledQuery([root, 'stands'], (signal) => getReconciliation({ signal }))

export const breakQuery = (id: string) =>
  polledQuery([root, 'break', id], (signal) => getBreak({ path: { id }, signal }))

export type BreakAction = 'resolve' | 'end' | 'approve' | 'reject' | 'withdraw'

/** One decision about one break; whether it now waits for a second admin. */
export async function decideBreak(
  { id, difference, wanted }: ReconciliationBreak,
  action: BreakAction,
  account: string,
  reason: string,
  version = '',
): Promise<{ waiting: boolean }> {
  const path = { id }
  switch (action) {
    case 'resolve':
      return (await resolveBreak({ path, body: { account, difference, reason } })).data
    case 'end':
      return (await endBreak({ path, body: { reason } })).data
    case 'approve':
      return (await approveBreak({ path, body: { difference, account: wanted?.account ?? '', version } }))
        .data
    default:
      return (await rejectBreak({ path, body: { reason } })).data
  }
}

export const compareNow = async () => (await reconcileNow({})).data
