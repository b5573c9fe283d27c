import { createFileRoute } from '@tanstack/react-router'
import { AlertsScreen } from '@/features/admin/alerts/alerts-screen'
import { parseAlertFilter } from '@/features/admin/alerts/filters'

export const Route = createFileRoute('/admin/alerts')({
  validateSearch: parseAlertFilter,
  component: Alerts,
})

function Alerts() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <AlertsScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
