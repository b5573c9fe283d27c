import { createFileRoute } from '@tanstack/react-router'
import { parseBreakFilter } from '@/features/admin/reconciliation/filters'
import { ReconciliationScreen } from '@/features/admin/reconciliation/reconciliation-screen'

export const Route = createFileRoute('/admin/reconciliation/')({
  validateSearch: parseBreakFilter,
  component: Reconciliation,
})

function Reconciliation() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <ReconciliationScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
