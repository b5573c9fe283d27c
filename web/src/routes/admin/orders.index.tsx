import { createFileRoute } from '@tanstack/react-router'
import { parseAdminOrdersSearch } from '@/features/admin/orders/filters'
import { AdminOrdersScreen } from '@/features/admin/orders/orders-screen'

export const Route = createFileRoute('/admin/orders/')({
  validateSearch: parseAdminOrdersSearch,
  component: Orders,
})

function Orders() {
  const { open, ...filter } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminOrdersScreen
      filter={filter}
      open={open}
      onFilter={(search, replace) => void navigate({ search, replace })}
      onOpen={(id, replace) =>
        void navigate({ search: { ...filter, open: id }, replace, resetScroll: false })
      }
    />
  )
}
