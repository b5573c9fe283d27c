import {
  approveKyc,
  askKycAgain,
  getAdminKyc,
  getKycSummary,
  holdKyc,
  listAdminKyc,
  rejectKyc,
  releaseKyc,
  revokeKyc,
} from '@/api/admin.gen'
import type { AdminKyc, KycApproval, Outcome } from '@/api/types.gen'
import type { StatusLook } from '@/components/status/status'
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

export const kycDecisions: Record<KycAction, (id: string, verdict: KycVerdict) => Promise<Outcome>> = {
  approve: async (id, { level, reason }) =>
    (await approveKyc({ path: { id }, body: { level, reason } })).data,
  reject: async (id, { canRetry, reason }) =>
    (await rejectKyc({ path: { id }, body: { canRetry, reason } })).data,
  revoke: async (id, { reason }) => (await revokeKyc({ path: { id }, body: { reason } })).data,
  hold: async (id, { reason }) => (await holdKyc({ path: { id }, body: { reason } })).data,
  release: async (id, { reason }) => (await releaseKyc({ path: { id }, body: { reason } })).data,
  ask: async (id, { reason }) => (await askKycAgain({ path: { id }, body: { reason } })).data,
}
