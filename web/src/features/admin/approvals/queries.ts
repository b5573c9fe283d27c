import {
  agreeToVoidBatch,
  approveBreak,
  approveMoney,
  approvePayout,
  approveProposal,
  approveRoles,
  approveTreasuryMove,
  approveVouchers,
  listApprovals,
  refuseToVoidBatch,
  rejectBreak,
  rejectMoney,
  rejectProposal,
  rejectRoles,
  rejectTreasuryMove,
  releaseRisk,
  withdrawTreasuryMove,
} from '@/api/admin.gen'
import type { Approval } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { pagedQuery } from '../shared/polled'
import type { MenuItem } from '../shared/row-menu'
import { type ApprovalKind, approvalsKey } from './approval-query'
import type { ApprovalFilter } from './filters'

export const approvalsQuery = ({ view, kind }: Pick<ApprovalFilter, 'view' | 'kind'>) =>
  pagedQuery(
    [...approvalsKey, 'list'],
    { ...(view === 'all' ? {} : { mine: true }), ...(kind ? { kind } : {}) },
    (query, signal) => listApprovals({ query, signal }),
  )

export type ApprovalAction = 'approve' | 'reject' | 'withdraw'

interface Said {
  reason: string
  code: string | undefined
}

type Act = (approval: Approval, said: Said) => Promise<unknown>

const order = ({ objectId, id }: Approval) => ({ path: { id: objectId ?? '' }, proposalId: id })
const detail = ({ details }: Approval, name: string) => details.find((one) => one.name === name)?.value ?? ''

/** How each kind is approved. A kind that is not listed is decided on its own page, where its evidence is. */
export const approveActs: Partial<Record<ApprovalKind, Act>> = {
  order_proposal: (a) => {
    const { path, proposalId } = order(a)
    return approveProposal({ path, body: { proposalId, version: a.version } })
  },
  money_proposal: (a, { code }) =>
    approveMoney({ path: { id: a.id }, body: { version: a.version }, ...withCode(code) }),
  payout: (a) => approvePayout({ path: { id: a.id }, body: { version: a.version } }),
  risk_release: (a, { reason }) => releaseRisk({ path: { id: a.id }, body: { reason, version: a.version } }),
  break: (a) =>
    approveBreak({
      path: { id: a.id },
      body: { difference: a.amount, account: detail(a, 'account'), version: a.version },
    }),
  voucher_batch: (a) => approveVouchers({ path: { id: a.id }, body: { version: a.version } }),
  voucher_void: (a) => agreeToVoidBatch({ path: { id: a.id }, body: { version: a.version } }),
  treasury_move: (a, { code }) =>
    approveTreasuryMove({ path: { id: a.id }, body: { version: a.version }, ...withCode(code) }),
  role_proposal: (a, { code }) =>
    approveRoles({ path: { id: a.id }, body: { version: a.version }, ...withCode(code) }),
}

/** The kinds whose approval asks for a code each time. */
export const asksCode: readonly ApprovalKind[] = ['money_proposal', 'treasury_move', 'role_proposal']

/** How each kind is ended without effect: rejected by another, or withdrawn by who began it. */
export const endActs: Partial<Record<ApprovalKind, Act>> = {
  order_proposal: (a, { reason }) => {
    const { path, proposalId } = order(a)
    return rejectProposal({ path, body: { proposalId, reason } })
  },
  money_proposal: (a, { reason }) => rejectMoney({ path: { id: a.id }, body: { reason } }),
  break: (a, { reason }) => rejectBreak({ path: { id: a.id }, body: { reason } }),
  voucher_void: (a) => refuseToVoidBatch({ path: { id: a.id } }),
  treasury_move: (a, { reason }) =>
    a.rule === 'own_proposal'
      ? withdrawTreasuryMove({ path: { id: a.id }, body: { reason } })
      : rejectTreasuryMove({ path: { id: a.id }, body: { reason } }),
  role_proposal: (a, { reason }) => rejectRoles({ path: { id: a.id }, body: { reason } }),
}

/** What the reader may do about an approval here. */
export function actionsOf({ kind, mayDecide, rule }: Approval): readonly ApprovalAction[] {
  const ends = kind in endActs
  if (rule === 'own_proposal') return ends ? ['withdraw'] : []
  return [
    ...(mayDecide && kind in approveActs ? (['approve'] as const) : []),
    ...(ends && (mayDecide || rule === 'own_receipt' || rule === 'own_credit' || rule === 'own_identity')
      ? (['reject'] as const)
      : []),
  ]
}

/** The page where an approval can also be decided. */
export function pageOf({ kind, objectId, id }: Approval): NonNullable<MenuItem['link']> {
  switch (kind) {
    case 'order_proposal':
      return { to: '/admin/orders/$id', params: { id: objectId ?? '' } }
    case 'identity':
      return { to: '/admin/kyc/$id', params: { id: objectId ?? '' } }
    case 'gift_card':
      return { to: '/admin/gift-cards/$id', params: { id } }
    case 'payout':
      return { to: '/admin/payouts/$id', params: { id } }
    case 'break':
      return { to: '/admin/reconciliation/$id', params: { id } }
    case 'voucher_batch':
    case 'voucher_void':
      return { to: '/admin/vouchers/batches/$id', params: { id } }
    case 'treasury_move':
      return { to: '/admin/treasury/$id', params: { id } }
    case 'closed_credit':
      return { to: '/admin/closed-credits' }
    case 'risk_release':
    case 'risk_loosening':
      return { to: '/admin/risk' }
    case 'role_proposal':
      return { to: '/admin/team' }
    case 'two_factor':
      return { to: '/admin/security' }
    case 'money_proposal':
      return { to: '/admin/money' }
  }
}
