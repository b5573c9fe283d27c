import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getAdminStats, getPlatform, listQueues, listRecentActivity } from '@/api/admin.gen'

/** specification §9: figures every 30 s, activity every 10 s. */
const STATS_MS = 30_000

const ACTIVITY_MS = 10_000

export const statSpans = ['day', 'week', 'month', 'quarter'] as const

export type StatSpan = (typeof statSpans)[number]

/** The figures, and a series of the requested length. */
export const adminStatsQuery = (span: StatSpan) =>
  queryOptions({
    queryKey: ['admin-stats', span],
    queryFn: async ({ signal }) =>
      (await getAdminStats({ query: span === 'month' ? {} : { span }, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: STATS_MS,
    staleTime: 0,
  })

/** How long the sidebar's counts are good for. */
const QUEUES_MS = 15_000

/** How many wait in each queue, for the sidebar; read again after every decision. */
export const queuesQuery = queryOptions({
  queryKey: ['admin-queues'],
  queryFn: async ({ signal }) => (await listQueues({ signal })).data,
  refetchInterval: QUEUES_MS,
  staleTime: QUEUES_MS,
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
