import { createFileRoute } from '@tanstack/react-router'
import { parseTeamFilter } from '@/features/admin/team/filters'
import { TeamScreen } from '@/features/admin/team/team-screen'

export const Route = createFileRoute('/admin/team')({
  validateSearch: parseTeamFilter,
  component: Team,
})

function Team() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <TeamScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
}
