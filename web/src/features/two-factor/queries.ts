import { queryOptions } from '@tanstack/react-query'
import { getTwoFactorStatus, listSessions } from '@/api/sdk.gen'

const POLL_MS = 30_000

export const twoFactorQuery = queryOptions({
  queryKey: ['two-factor'],
  queryFn: async ({ signal }) => (await getTwoFactorStatus({ signal })).data,
  staleTime: 0,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await listSessions({ signal })).data ?? [],
  refetchInterval: POLL_MS,
  staleTime: 0,
})
