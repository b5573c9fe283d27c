import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import type { AdminTicket } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { count } from '@/lib/format'
import { support, inbox as texts, ticketStatus } from '@/messages/support'
import { ticketLooks } from '../support/looks'
import { Fact } from './facts'
import { type TicketFilter, ticketStatuses } from './filters'
import { OpenText, Queue, QueueCard } from './queue'
import { adminTicketsQuery, ticketsSummaryQuery } from './ticket-queries'

interface TicketsScreenProps {
  filter: TicketFilter
  onFilter: (filter: TicketFilter) => void
}

/** The inbox of those who answer customers. */
export function AdminTicketsScreen({ filter, onFilter }: TicketsScreenProps) {
  const list = useInfiniteQuery(adminTicketsQuery(filter))
  const summary = useQuery(ticketsSummaryQuery)
  const counts = summary.data?.byStatus
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={MessageCircle}
      list={list}
      summary={summary}
      figures={[
        [texts.stats.total, count(summary.data?.total)],
        [texts.stats.open, count(counts?.open)],
        [texts.stats.inProgress, count(counts?.in_progress)],
        [texts.stats.closed, count(counts?.closed)],
      ]}
      value={filter.status}
      choices={ticketStatuses}
      labels={ticketStatus}
      counts={counts}
      onChoose={(status) => onFilter({ status })}
      card={(ticket) => <TicketCard ticket={ticket} />}
    />
  )
}

function TicketCard({ ticket }: { ticket: AdminTicket }) {
  return (
    <QueueCard
      name={ticket.reference}
      title={support.subjects[ticket.subject]}
      code={<span className="font-mono">{ticket.reference}</span>}
      look={ticketLooks[ticket.status]}
      text={<p className="mb-3 line-clamp-2 text-sm wrap-anywhere">{ticket.message}</p>}
      facts={
        <>
          <Fact name={texts.customer}>{ticket.customerName || ticket.customerEmail}</Fact>
          {ticket.about ? <Fact name={texts.about}>{ticket.about.reference}</Fact> : null}
          <Fact name={texts.created}>
            <Time at={ticket.createdAt} />
          </Fact>
          {ticket.status === 'closed' ? null : <Fact name={texts.waits}>{texts.sides[ticket.awaits]}</Fact>}
        </>
      }
      open={
        <Link
          to="/admin/support/$id"
          params={{ id: ticket.id }}
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          <OpenText name={ticket.reference} />
        </Link>
      }
    />
  )
}
