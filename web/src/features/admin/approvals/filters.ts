import { oneOf } from '@/lib/search'
import { colsOf, type QueueView } from '../shared/queue-view'
import type { ApprovalKind } from './approval-query'

/** All kinds, in the order of the filter. A test compares them with their texts, which the compiler completes. */
export const approvalKinds = [
  'order_proposal',
  'money_proposal',
  'closed_credit',
  'gift_card',
  'payout',
  'identity',
  'risk_release',
  'risk_loosening',
  'break',
  'voucher_batch',
  'voucher_void',
  'treasury_move',
  'role_proposal',
  'two_factor',
] as const satisfies readonly ApprovalKind[]

/** What of the inbox is shown: left out, all kinds that the reader may decide. */
export interface ApprovalFilter extends QueueView {
  view?: 'all' | undefined
  kind?: ApprovalKind | undefined
}

export function parseApprovalFilter(search: Record<string, unknown>): ApprovalFilter {
  return {
    view: oneOf(['all'], search.view),
    kind: oneOf(approvalKinds, search.kind),
    cols: colsOf(search),
  }
}
