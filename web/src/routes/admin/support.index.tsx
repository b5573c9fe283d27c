import { createFileRoute } from '@tanstack/react-router'
import { parseTicketFilter } from '@/features/admin/support/filters'
import { AdminTicketsScreen } from '@/features/admin/support/tickets-screen'

export const Route = createFileRoute('/admin/support/')({
  validateSearch: parseTicketFilter,
  component: Tickets,
})

function Tickets() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminTicketsScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
  )
}
