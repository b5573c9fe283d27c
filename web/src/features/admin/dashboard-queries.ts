import { queryOptions } from '@tanstack/react-query'
import { getAdminStats, getPlatform, listRecentActivity } from '@/api/admin.gen'

/** SPEC §9: figures every 30 s, activity every 10 s. */
const STATS_MS = 30_000
const ACTIVITY_MS = 10_000

export const adminStatsQuery = queryOptions({
  queryKey: ['admin-stats'],
  queryFn: async ({ signal }) => (await getAdminStats({ signal })).data,
  refetchInterval: STATS_MS,
  staleTime: 0,
})

export const recentActivityQuery = queryOptions({
  queryKey: ['admin-activity'],
  queryFn: async ({ signal }) => (await listRecentActivity({ signal })).data,
  refetchInterval: ACTIVITY_MS,
  staleTime: 0,
})

export const platformQuery = queryOptions({
  queryKey: ['admin-platform'],
  queryFn: async ({ signal }) => (await getPlatform({ signal })).data,
  refetchInterval: ACTIVITY_MS,
  staleTime: 0,
})
