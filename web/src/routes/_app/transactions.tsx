import { createFileRoute } from '@tanstack/react-router'
import { parseFilter } from '@/features/transactions/filter'
import { TransactionsScreen } from '@/features/transactions/transactions-screen'

export const Route = createFileRoute('/_app/transactions')({
  validateSearch: parseFilter,
  component: Transactions,
})

function Transactions() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <TransactionsScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
  )
}
