import { createFileRoute } from '@tanstack/react-router'
import { AllTransactionsScreen } from '@/features/admin/transactions/all-transactions-screen'
import { parseTradeFilter } from '@/features/admin/transactions/filters'

export const Route = createFileRoute('/admin/transactions')({
  validateSearch: parseTradeFilter,
  component: Transactions,
})

function Transactions() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AllTransactionsScreen
      filter={filter}
      onFilter={(search, replace) => void navigate({ search, replace })}
    />
  )
}
