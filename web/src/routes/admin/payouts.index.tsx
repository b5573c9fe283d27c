import { createFileRoute } from '@tanstack/react-router'
import { parsePayoutFilter } from '@/features/admin/payouts/filters'
import { AdminPayoutsScreen } from '@/features/admin/payouts/payouts-screen'

export const Route = createFileRoute('/admin/payouts/')({
  validateSearch: parsePayoutFilter,
  component: Payouts,
})

function Payouts() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminPayoutsScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
  )
}
