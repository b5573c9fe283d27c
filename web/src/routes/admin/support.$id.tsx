import { createFileRoute } from '@tanstack/react-router'
import { parseTicketFilter } from '@/features/admin/support/filters'
import { AdminTicketScreen } from '@/features/admin/support/ticket-screen'

export const Route = createFileRoute('/admin/support/$id')({
  validateSearch: parseTicketFilter,
  component: Ticket,
})

function Ticket() {
  return <AdminTicketScreen id={Route.useParams().id} filter={Route.useSearch()} />
}
