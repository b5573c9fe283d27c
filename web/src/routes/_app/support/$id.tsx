import { createFileRoute } from '@tanstack/react-router'
import { TicketScreen } from '@/features/support/ticket-screen'

export const Route = createFileRoute('/_app/support/$id')({ component: TicketRoute })

function TicketRoute() {
  return <TicketScreen id={Route.useParams().id} />
}
