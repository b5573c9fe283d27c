import { createFileRoute } from '@tanstack/react-router'
import { CustomersScreen } from '@/features/admin/customers/customers-screen'
import { parseCustomerFilter } from '@/features/admin/customers/filters'

export const Route = createFileRoute('/admin/customers/')({
  validateSearch: parseCustomerFilter,
  component: Customers,
})

function Customers() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <CustomersScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
  )
}
