import { getTeamCandidate, getTeamSummary, listRoleProposals, listTeam } from '@/api/admin.gen'
import { pagedQuery, polledQuery } from '../shared/polled'
import type { TeamFilter } from './filters'

export const teamKey = ['admin-team'] as const

export const teamQuery = (filter: TeamFilter) =>
  pagedQuery([...teamKey, 'list'], filter, (query, signal) => listTeam({ query, signal }))

export const teamSummaryQuery = (q: string | undefined) =>
  polledQuery([...teamKey, 'summary', q], (signal) => getTeamSummary({ query: q ? { q } : {}, signal }), {
    keep: true,
  })

export const roleProposalsQuery = (status: 'open' | 'all') =>
  pagedQuery([...teamKey, 'proposals'], { status, limit: 20 }, (query, signal) =>
    listRoleProposals({ query, signal }),
  )

export const candidate = async (email: string) => (await getTeamCandidate({ query: { email } })).data
