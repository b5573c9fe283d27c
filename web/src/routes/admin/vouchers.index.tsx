import { createFileRoute } from '@tanstack/react-router'
import { parseVoucherFilter } from '@/features/admin/vouchers/filters'
import { AdminVouchersScreen } from '@/features/admin/vouchers/vouchers-screen'

export const Route = createFileRoute('/admin/vouchers/')({
  validateSearch: parseVoucherFilter,
  component: Vouchers,
})

function Vouchers() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminVouchersScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
  )
}
