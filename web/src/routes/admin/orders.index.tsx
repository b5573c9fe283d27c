import { createFileRoute } from '@tanstack/react-router'
import { parseAdminOrderFilter } from '@/features/admin/filters'
import { AdminOrdersScreen } from '@/features/admin/orders-screen'

export const Route = createFileRoute('/admin/orders/')({
  validateSearch: parseAdminOrderFilter,
  component: Orders,
})

function Orders() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminOrdersScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
  )
}
