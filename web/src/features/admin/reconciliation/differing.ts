import type { HolderReconciled } from '@/api/types.gen'
import { shortTime } from '@/lib/format'
import { adminReconciliation as texts } from '@/messages/admin-reconciliation'

/** How many differences there are that are no break yet, and when the first of them becomes one. */
export function differingText(holders: readonly Pick<HolderReconciled, 'differing' | 'breakAt'>[]): string {
  const differing = holders.reduce((all, one) => all + one.differing, 0)
  if (differing === 0) return ''
  const [first] = holders.flatMap(({ breakAt }) => breakAt ?? []).sort()
  return first
    ? `${texts.differing(differing)}, ${texts.breakAt(shortTime(first))}`
    : texts.differing(differing)
}
