import type { KycStatus } from '@/api/types.gen'
import { kyc } from '@/messages/kyc'

/** SPEC §2's sentence for a status; a refusal that cannot be repeated says so. */
export function kycText({ status, canRetry }: Pick<KycStatus, 'status' | 'canRetry'>): string {
  if (status === 'approved') return kyc.text.approved
  if (status === 'pending') return kyc.text.pending
  if (status === 'rejected') return canRetry ? kyc.text.rejected : kyc.rejectedFinal
  return kyc.text.other
}
