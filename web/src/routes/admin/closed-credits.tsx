import { createFileRoute } from '@tanstack/react-router'
import { ClosedCreditsScreen } from '@/features/admin/money/closed-credits-screen'
import { parseClosedFilter } from '@/features/admin/money/filters'

export const Route = createFileRoute('/admin/closed-credits')({
  validateSearch: parseClosedFilter,
  component: ClosedCredits,
})

function ClosedCredits() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <ClosedCreditsScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
