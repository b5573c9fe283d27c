import type { KycStatus } from '@/api/types.gen'
import { identity } from '@/messages/identity'

/**
 * specification §2's sentence for a status; a refusal that cannot be repeated says so. Minutes are those that are
 * claimed; a review on hold takes longer, so it has a sentence of its own.
 */
export function kycText(
  { status, canRetry, onHold }: Pick<KycStatus, 'status' | 'canRetry'> & Partial<Pick<KycStatus, 'onHold'>>,
  minutes: string,
): string {
  if (status === 'approved') return identity.text.approved
  if (status === 'pending') return onHold ? identity.onHold : identity.text.pending(minutes)
  if (status === 'rejected') return canRetry ? identity.text.rejected : identity.rejectedFinal
  return identity.text.other
}

/** The addition to that sentence: how a level ended, or what is in progress. */
export function kycMore(status: KycStatus): string | undefined {
  if (status.preparing) return identity.preparing
  if (status.moreAsked && !status.attempt) return identity.moreAsked
  if (status.onHold && !status.attempt && status.status !== 'pending') return identity.onHold
  if (status.ended && status.status !== 'pending') return identity.ended[status.ended]
  return status.status === 'not_started' ? identity.needed : undefined
}

/** Refused permanently: the only next step is support. */
export function isFinal({ status, canRetry, attempt }: KycStatus): boolean {
  return status === 'rejected' && !canRetry && !attempt
}

/** The review has an end, and nothing else is applied for: a widget that is still open has no more use. */
export function isDone(status: KycStatus): boolean {
  if (status.attempt || status.moreAsked || status.preparing) return false
  return (status.status === 'approved' && !status.renewable) || isFinal(status)
}
