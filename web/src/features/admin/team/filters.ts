import { oneOf, text } from '@/lib/search'

export const teamRoles = ['support', 'compliance', 'finance', 'admin'] as const

export interface TeamFilter {
  role?: (typeof teamRoles)[number] | undefined
  q?: string | undefined
}

export function parseTeamFilter(search: Record<string, unknown>): TeamFilter {
  return { role: oneOf(teamRoles, search.role), q: text(search.q)?.slice(0, 100) }
}
