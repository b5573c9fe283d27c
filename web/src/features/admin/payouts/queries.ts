import {
  approvePayout,
  confirmPayout,
  getAdminPayout,
  getPayoutsSummary,
  listAdminPayouts,
  rejectPayout,
  returnPayout,
  revealPayout,
} from '@/api/admin.gen'
import type { AdminPayout, Outcome } from '@/api/types.gen'
import { payoutLooksIn } from '@/features/payouts/looks'
import { withCode } from '@/features/two-factor/step-up'
import { usd } from '@/lib/format'
import { adminPayouts } from '@/messages/admin-payouts'
import { pagedQuery, polledQuery } from '../shared/polled'
import { asked, shownStatus } from '../shared/queue-filter'
import { restoredLook } from '../shared/restored-notice'
import type { PayoutFilter } from './filters'

/** How a payout stands to staff: what is to be done with it. */
const adminPayoutLooks = payoutLooksIn(adminPayouts.status)

/** How one payout stands to staff. */
export const payoutLook = ({ status, restored }: AdminPayout) =>
  restored ? restoredLook(adminPayoutLooks[status]) : adminPayoutLooks[status]

export const adminPayoutsQuery = (filter: PayoutFilter) =>
  pagedQuery(
    ['admin-payouts', 'list'],
    { ...asked(filter), status: shownStatus(filter.status, filter.q, 'requested') },
    (query, signal) => listAdminPayouts({ query, signal }),
  )

export const payoutsSummaryQuery = (filter: PayoutFilter) =>
  polledQuery(
    ['admin-payouts', 'summary', filter],
    (signal) => getPayoutsSummary({ query: asked(filter), signal }),
    {
      keep: true,
    },
  )

export const adminPayoutQuery = (id: string) =>
  polledQuery(['admin-payouts', 'one', id], (signal) => getAdminPayout({ path: { id }, signal }))

export type PayoutAction = 'approve' | 'reject' | 'confirm' | 'return'

/** What was entered for a decision: a reason, or the bank's reference; and what goes with it. */
interface DecisionInput {
  said: string
  /** The amount that a return brought back. */
  returned: string
  /** What the bank's statement shows of a restored payout. */
  statement: string
  version: string | undefined
}

/** Each decision with its input. */
export const payoutDecisions: Record<PayoutAction, (id: string, input: DecisionInput) => Promise<Outcome>> = {
  approve: async (id, { version, statement }) => {
    const body = { ...(version ? { version } : {}), ...(statement ? { statement } : {}) }
    return (await approvePayout({ path: { id }, ...(version || statement ? { body } : {}) })).data
  },
  reject: async (id, { said: reason, statement }) =>
    (await rejectPayout({ path: { id }, body: { reason, ...(statement ? { statement } : {}) } })).data,
  confirm: async (id, { said: reference }) =>
    (await confirmPayout({ path: { id }, body: { reference } })).data,
  return: async (id, { said: reason, returned }) =>
    (await returnPayout({ path: { id }, body: { reason, ...(returned ? { returned } : {}) } })).data,
}

/** The account's owner and its number: read on request, kept on the screen only. */
export async function revealAccount(id: string, statement: string, code?: string) {
  const body = statement ? { body: { statement } } : {}
  return (await revealPayout({ path: { id }, ...body, ...withCode(code) })).data
}

/** The destination account of an amount, as far as every admin may see it. */
export function accountOf({ accountKind, accountCountry, accountLast4 }: AdminPayout): string {
  return adminPayouts.accountOf(accountKind, accountCountry, accountLast4)
}

/** A payout in one line, for the dialogs. */
export function whatItIs(payout: AdminPayout): string {
  const customer = payout.customerName || payout.customerEmail
  return adminPayouts.what(payout.reference, usd(payout.amount), customer, accountOf(payout))
}
