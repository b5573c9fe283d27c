import { createFileRoute } from '@tanstack/react-router'
import { parseRiskFilter } from '@/features/admin/filters'
import { AdminRiskScreen } from '@/features/admin/risk-screen'

export const Route = createFileRoute('/admin/risk')({
  validateSearch: parseRiskFilter,
  component: Risk,
})

function Risk() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <AdminRiskScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
