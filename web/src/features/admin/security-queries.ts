import { queryOptions } from '@tanstack/react-query'
import { listRecoveries } from '@/api/admin.gen'

const POLL_MS = 30_000

export const recoveriesQuery = queryOptions({
  queryKey: ['admin-recoveries'],
  queryFn: async ({ signal }) => (await listRecoveries({ signal })).data ?? [],
  refetchInterval: POLL_MS,
  staleTime: 0,
})
