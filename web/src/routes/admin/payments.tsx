import { createFileRoute } from '@tanstack/react-router'
import { parsePaymentFilter } from '@/features/admin/payments/filters'
import { PaymentsScreen } from '@/features/admin/payments/payments-screen'

export const Route = createFileRoute('/admin/payments')({
  validateSearch: parsePaymentFilter,
  component: Payments,
})

function Payments() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <PaymentsScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
