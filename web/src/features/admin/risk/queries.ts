import {
  changeRiskRule,
  getRiskSummary,
  importAddressList,
  listAddressLists,
  listRiskReviews,
  listRiskRules,
  refuseRisk,
  releaseRisk,
} from '@/api/admin.gen'
import type { Outcome, RiskRuleChange } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { pagedQuery, polledQuery } from '../shared/polled'

const root = 'admin-risk'
export const riskKey = [root]

export const riskReviewsQuery = (status: 'open' | 'closed') =>
  pagedQuery([root, 'reviews'], { status }, (query, signal) => listRiskReviews({ query, signal }))

/** The review that one order waits for, or null. */
export const orderReviewQuery = (orderId: string) =>
  polledQuery([root, 'of-order', orderId], async (signal) => {
    const open = await listRiskReviews({ query: { status: 'open', about: orderId, limit: 1 }, signal })
    return { data: open.data[0] ?? null }
  })

export const riskSummaryQuery = polledQuery([root, 'summary'], (signal) => getRiskSummary({ signal }))

export const riskRulesQuery = polledQuery([root, 'rules'], (signal) => listRiskRules({ signal }))

export const addressListsQuery = polledQuery([root, 'lists'], (signal) => listAddressLists({ signal }))

export type RiskAction = 'release' | 'refuse'

/** A release takes effect at once; a refusal is executed by the order's workflow. */
export const riskDecisions: Record<
  RiskAction,
  (id: string, reason: string, version?: string) => Promise<Pick<Outcome, 'state'>>
> = {
  release: async (id, reason, version = '') => {
    const { waits } = (await releaseRisk({ path: { id }, body: { reason, version } })).data
    return { state: waits ? 'proposed' : 'done' }
  },
  refuse: async (id, reason) => (await refuseRisk({ path: { id }, body: { reason } })).data,
}

export const changeRule = async (rule: string, body: RiskRuleChange, code?: string) =>
  (await changeRiskRule({ path: { id: rule }, body, ...withCode(code) })).data

export interface ListFile {
  file: File
  source: string
}

export const previewList = async ({ file, source }: ListFile) =>
  (await importAddressList({ body: { file, source, mode: 'preview' } })).data

export const importList = async (
  { file, source }: ListFile,
  version: number,
  reason: string,
  code?: string,
) =>
  (
    await importAddressList({
      body: { file, source, mode: 'import', version: String(version), reason },
      ...withCode(code),
    })
  ).data
