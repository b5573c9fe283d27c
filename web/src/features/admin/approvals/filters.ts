import { oneOf } from '@/lib/search'
import { adminApprovals } from '@/messages/admin-approvals'
import { colsOf, type QueueView } from '../shared/queue-view'
import type { ApprovalKind } from './queries'

export const approvalKinds = Object.keys(adminApprovals.kinds) as ApprovalKind[]

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
