import { createFileRoute } from '@tanstack/react-router'
import { parseMoveFilter } from '@/features/admin/treasury/filters'
import { TreasuryScreen } from '@/features/admin/treasury/treasury-screen'

export const Route = createFileRoute('/admin/treasury/')({
  validateSearch: parseMoveFilter,
  component: Treasury,
})

function Treasury() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <TreasuryScreen filter={filter} onFilter={(search) => void navigate({ search, resetScroll: false })} />
  )
}
