import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import type { AdminTicket } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { count } from '@/lib/format'
import { support, inbox as texts, ticketStatus } from '@/messages/support'
import { ticketLooks } from '../support/looks'
import { Chips } from './chips'
import { Fact, Facts } from './facts'
import { type TicketFilter, ticketStatuses } from './filters'
import { Counters, ListFrame } from './list-frame'
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
    <ListFrame
      title={texts.title}
      list={list}
      onRefresh={() => {
        void list.refetch()
        void summary.refetch()
      }}
      counters={
        <Counters
          wide={5}
          figures={[
            [texts.stats.total, count(summary.data?.total)],
            [texts.stats.open, count(counts?.open)],
            [texts.stats.inProgress, count(counts?.in_progress)],
            [texts.stats.closed, count(counts?.closed)],
          ]}
        />
      }
      filters={
        <Chips
          legend={texts.statusFilter}
          value={filter.status ?? 'all'}
          onChange={(status) => onFilter({ status: status === 'all' ? undefined : status })}
          chips={[
            { value: 'all', label: texts.all, count: summary.data?.total },
            ...ticketStatuses.map((status) => ({
              value: status,
              label: ticketStatus[status],
              count: counts?.[status],
            })),
          ]}
        />
      }
      filtered={Boolean(filter.status)}
      failed={texts.fetchFailed}
      empty={{ title: texts.empty, filteredHint: texts.emptyFiltered, icon: MessageCircle }}
      card={(ticket) => <TicketCard ticket={ticket} />}
    />
  )
}

function TicketCard({ ticket }: { ticket: AdminTicket }) {
  return (
    <article aria-label={ticket.reference} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">{support.subjects[ticket.subject]}</h2>
          <p className="font-mono text-xs text-muted-foreground">{ticket.reference}</p>
        </div>
        <StatusBadge look={ticketLooks[ticket.status]} />
      </div>
      <p className="mb-3 line-clamp-2 text-sm wrap-anywhere">{ticket.message}</p>
      <Facts>
        <Fact name={texts.customer}>{ticket.customerName || ticket.customerEmail}</Fact>
        {ticket.about ? <Fact name={texts.about}>{ticket.about.reference}</Fact> : null}
        <Fact name={texts.created}>
          <Time at={ticket.createdAt} />
        </Fact>
        {ticket.status === 'closed' ? null : <Fact name={texts.waits}>{texts.sides[ticket.awaits]}</Fact>}
      </Facts>
      <Link
        to="/admin/support/$id"
        params={{ id: ticket.id }}
        className={buttonVariants({ variant: 'outline', size: 'sm', className: 'mt-4' })}
      >
        {texts.open}
        <span className="sr-only"> {ticket.reference}</span>
      </Link>
    </article>
  )
}
