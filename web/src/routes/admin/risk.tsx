import { createFileRoute } from '@tanstack/react-router'
import { parseRiskFilter } from '@/features/admin/risk/filters'
import { AdminRiskScreen } from '@/features/admin/risk/risk-screen'

export const Route = createFileRoute('/admin/risk')({
  validateSearch: parseRiskFilter,
  component: Risk,
})

function Risk() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <AdminRiskScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
