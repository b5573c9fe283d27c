import {
  approveKyc,
  approveKycProposal,
  askKycAgain,
  getAdminKyc,
  getKycSummary,
  holdKyc,
  listAdminKyc,
  rejectKyc,
  rejectKycProposal,
  releaseKyc,
  revokeKyc,
} from '@/api/admin.gen'
import type { AdminKyc, KycApproval, KycProposal, Outcome } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
import { withCode } from '@/features/two-factor/step-up'
import { adminKyc } from '@/messages/admin-kyc'
import { pagedQuery, polledQuery } from '../shared/polled'
import { asked, shownStatus } from '../shared/queue-filter'
import type { KycFilter } from './filters'

const labels = adminKyc.standing

/** Where a case stands in the queue. */
export const standingLooks: Record<AdminKyc['standing'], StatusLook> = {
  on_hold: { label: labels.on_hold, tone: 'pending' },
  pending: { label: labels.pending, tone: 'info' },
  retry: { label: labels.retry, tone: 'neutral' },
  rejected: { label: labels.rejected, tone: 'danger' },
  approved: { label: labels.approved, tone: 'success' },
  not_started: { label: labels.not_started, tone: 'neutral' },
}

export const adminKycListQuery = (filter: KycFilter) =>
  pagedQuery(
    ['admin-kyc', 'list'],
    { ...asked(filter), standing: shownStatus(filter.standing, filter.q, 'on_hold') },
    (query, signal) => listAdminKyc({ query, signal }),
  )

export const kycSummaryQuery = (filter: KycFilter) =>
  polledQuery(['admin-kyc', 'summary', filter], (signal) => getKycSummary({ query: asked(filter), signal }), {
    keep: true,
  })

export const adminKycQuery = (id: string) =>
  polledQuery(['admin-kyc', 'one', id], (signal) => getAdminKyc({ path: { id }, signal }))

export interface KycVerdict {
  reason: string
  level: KycApproval['level']
  canRetry: boolean
}

export type KycAction = keyof typeof adminKyc.actions

export const kycDecisions: Record<
  KycAction,
  (id: string, verdict: KycVerdict, code?: string) => Promise<Outcome>
> = {
  approve: async (id, { level, reason }, code) =>
    (await approveKyc({ path: { id }, body: { level, reason }, ...withCode(code) })).data,
  reject: async (id, { canRetry, reason }) =>
    (await rejectKyc({ path: { id }, body: { canRetry, reason } })).data,
  revoke: async (id, { reason }) => (await revokeKyc({ path: { id }, body: { reason } })).data,
  hold: async (id, { reason }) => (await holdKyc({ path: { id }, body: { reason } })).data,
  release: async (id, { reason }) => (await releaseKyc({ path: { id }, body: { reason } })).data,
  ask: async (id, { reason }) => (await askKycAgain({ path: { id }, body: { reason } })).data,
}

export type KycAnswer = keyof typeof adminKyc.answers

/** An answer to a proposed approval names the version that was shown. */
export async function answerProposal(
  id: string,
  { id: proposalId, version }: KycProposal,
  answer: KycAnswer,
  reason: string,
  code?: string,
): Promise<Outcome> {
  const body = { proposalId, version }
  return answer === 'approve'
    ? (await approveKycProposal({ path: { id }, body, ...withCode(code) })).data
    : (await rejectKycProposal({ path: { id }, body: { ...body, reason } })).data
}
