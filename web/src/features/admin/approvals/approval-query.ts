import { queryOptions } from '@tanstack/react-query'
import { listApprovals } from '@/api/admin.gen'
import type { Approval } from '@/api/types.gen'

export const approvalsKey = ['admin-approvals']

export type ApprovalKind = Approval['kind']

/** One approval as it is now. It is read as a dialog opens, and does not change under its reader. */
export const approvalQuery = (kind: ApprovalKind, about: string) =>
  queryOptions({
    queryKey: [...approvalsKey, 'one', kind, about],
    queryFn: async ({ signal }) =>
      (await listApprovals({ query: { kind, about }, signal })).data?.[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
