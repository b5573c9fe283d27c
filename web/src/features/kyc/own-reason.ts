import type { KycStatus } from '@/api/types.gen'

/** What only repeats the sentence above it, in the provider's words or in ours. */
const repeated = /^(we (could ?n[o’']t|were unable to|can ?n[o’']t) verify|no pudimos verificar)/i

/** Why documents were refused, where that is more than that they were. */
export function ownReason({ reason }: Pick<KycStatus, 'reason'>): string | undefined {
  return reason && !repeated.test(reason.trim()) ? reason : undefined
}
