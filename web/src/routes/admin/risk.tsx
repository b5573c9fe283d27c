import { createFileRoute } from '@tanstack/react-router'
import { parseRiskView } from '@/features/admin/filters'
import { AdminRiskScreen } from '@/features/admin/risk-screen'

export const Route = createFileRoute('/admin/risk')({
  validateSearch: parseRiskView,
  component: Risk,
})

function Risk() {
  const { view } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminRiskScreen
      view={view ?? 'open'}
      onView={(chosen) => void navigate({ search: chosen === 'open' ? {} : { view: chosen } })}
    />
  )
}
