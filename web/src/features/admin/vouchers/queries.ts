import {
  agreeToVoidBatch,
  approveVouchers,
  declareVoucherTransferDead,
  generateVoucher,
  generateVoucherBatch,
  getVoucherBatch,
  getVouchersSummary,
  listAdminVouchers,
  listVoucherBatches,
  refuseToVoidBatch,
  restoreVoucher,
  resumeVoucher,
  voidVoucher,
  voidVoucherBatch,
} from '@/api/admin.gen'
import type { AdminVoucher, NewVoucherBatch, Outcome } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { appFetch } from '@/lib/http'
import { pagedQuery, polledQuery } from '../shared/polled'
import { asked, opensOnWork } from '../shared/queue-filter'
import type { BatchFilter, VoucherFilter } from './filters'

/** Whether the list shows what can be decided now; a batch is shown whole. */
export const opensOnVouchers = (filter: VoucherFilter) => opensOnWork(filter) && !filter.batch

export const adminVouchersQuery = (filter: VoucherFilter) =>
  pagedQuery(
    ['admin-vouchers', 'list'],
    { ...asked(filter), actionable: opensOnVouchers(filter) },
    (query, signal) => listAdminVouchers({ query, signal }),
  )

/** A batch's page shows all of its vouchers, unless one state is chosen. */
export const vouchersOfBatchQuery = (batch: string, filter: BatchFilter) =>
  pagedQuery(['admin-vouchers', 'list'], { ...filter, batch }, (query, signal) =>
    listAdminVouchers({ query, signal }),
  )

export const vouchersSummaryQuery = (filter: VoucherFilter) =>
  polledQuery(
    ['admin-vouchers', 'summary', filter],
    (signal) => getVouchersSummary({ query: asked(filter), signal }),
    { keep: true },
  )

export const voucherBatchesQuery = pagedQuery(['admin-vouchers', 'batches'], {}, (query, signal) =>
  listVoucherBatches({ query, signal }),
)

export const voucherBatchQuery = (id: string) =>
  polledQuery(['admin-vouchers', 'batch', id], (signal) => getVoucherBatch({ path: { id }, signal }))

/** One voucher. The key is the intent's: made again, it is the same voucher. */
export async function generate(amount: string, currency: string, key: string) {
  const { data } = await generateVoucher({ body: { amount, currency }, headers: { 'Idempotency-Key': key } })
  return data
}

/** A batch in one call, whole or not at all. Its codes are in the export only. */
export async function generateBatch(body: NewVoucherBatch, key: string) {
  const { data } = await generateVoucherBatch({ body, headers: { 'Idempotency-Key': key } })
  return data
}

export type VoucherAction = 'approve' | 'void' | 'resume' | 'restore' | 'transfer_dead'

const done: Outcome = { decisionId: '', state: 'done', status: '', message: '' }

export const voucherDecisions: Record<
  VoucherAction,
  (voucher: AdminVoucher, reason: string, evidence: string, version?: string) => Promise<Outcome>
> = {
  approve: async (voucher, _reason, _evidence, version = '') => {
    await approveVouchers({ path: { id: voucher.batchId }, body: { version } })
    return done
  },
  void: async (voucher, reason) => {
    await voidVoucher({ path: { id: voucher.id }, body: { reason } })
    return done
  },
  resume: async (voucher, reason) =>
    (await resumeVoucher({ path: { id: voucher.id }, body: { reason } })).data,
  restore: async (voucher, reason) =>
    (await restoreVoucher({ path: { id: voucher.id }, body: { reason } })).data,
  transfer_dead: async (voucher, reason, evidence) =>
    (await declareVoucherTransferDead({ path: { id: voucher.id }, body: { reason, evidence } })).data,
}

export type BatchAction = 'approve' | 'void' | 'agree' | 'refuse'

/** What can be decided about a batch; each says what became of it. */
export const batchDecisions: Record<
  BatchAction,
  (id: string, reason: string, version?: string) => Promise<Outcome>
> = {
  approve: async (id, _reason, version = '') => {
    await approveVouchers({ path: { id }, body: { version } })
    return done
  },
  void: async (id, reason) => {
    const { data } = await voidVoucherBatch({ path: { id }, body: { reason } })
    return { ...done, state: data.state === 'asked' ? 'proposed' : 'done', message: data.message }
  },
  agree: async (id, _reason, version = '') => ({
    ...done,
    message: (await agreeToVoidBatch({ path: { id }, body: { version } })).data.message,
  }),
  refuse: async (id) => {
    await refuseToVoidBatch({ path: { id } })
    return done
  },
}

/** specification §9's CSV, of all or of one batch, saved under the name the server gives it. */
export async function saveExport(batch?: string, code?: string): Promise<void> {
  const path = `/api/admin/vouchers/export${batch ? `?${new URLSearchParams({ batch })}` : ''}`
  const answer = await appFetch(path, { method: 'POST', ...withCode(code) })
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1]
  const url = URL.createObjectURL(await answer.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name ?? 'vouchers.csv'
  link.click()
  URL.revokeObjectURL(url)
}
