import { createFileRoute } from '@tanstack/react-router'
import { AdminTicketScreen } from '@/features/admin/ticket-screen'

export const Route = createFileRoute('/admin/support/$id')({ component: Ticket })

function Ticket() {
  return <AdminTicketScreen id={Route.useParams().id} />
}
