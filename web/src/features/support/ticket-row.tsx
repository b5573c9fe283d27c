import { Link } from '@tanstack/react-router'
import type { Ticket } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { support as texts } from '@/messages/support'
import { ticketLooks } from './looks'

export function TicketRow({ ticket }: { ticket: Ticket }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="text-sm font-medium">
          <Link
            to="/support/$id"
            params={{ id: ticket.id }}
            className="rounded-sm underline-offset-4 hover:underline"
          >
            {ticket.reference} · {texts.subjects[ticket.subject]}
          </Link>
        </p>
        <p className="line-clamp-2 text-sm wrap-anywhere text-muted-foreground">{ticket.message}</p>
        <p className="text-xs text-muted-foreground">
          <Time at={ticket.createdAt} /> · {texts.messages(ticket.messages)}
        </p>
      </div>
      <StatusBadge look={ticketLooks[ticket.status]} />
    </div>
  )
}
