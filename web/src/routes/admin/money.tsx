import { createFileRoute } from '@tanstack/react-router'
import { parseMoneyFilter } from '@/features/admin/money/filters'
import { MoneyScreen } from '@/features/admin/money/money-screen'

export const Route = createFileRoute('/admin/money')({
  validateSearch: parseMoneyFilter,
  component: Money,
})

function Money() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <MoneyScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
