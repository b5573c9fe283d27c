import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import type { AdminTicket, TicketsSummary } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { useNow } from '@/lib/clock'
import { count, timeLeft } from '@/lib/format'
import { inbox as texts } from '@/messages/admin-inbox'
import { support, ticketStatus } from '@/messages/support'
import { ticketLooks } from '../support/looks'
import { FilterChips } from './chips'
import { Choice } from './choice'
import { Fact } from './facts'
import { type TicketFilter, ticketDesks, ticketStatuses, ticketSubjects } from './filters'
import { OpenText, Queue, QueueCard } from './queue'
import { adminTicketsQuery, ticketsSummaryQuery } from './ticket-queries'

interface TicketsScreenProps {
  filter: TicketFilter
  onFilter: (filter: TicketFilter, replace: boolean) => void
}

/** The inbox of those who answer customers: of one status, whoever has waited longest is first. */
export function AdminTicketsScreen({ filter, onFilter }: TicketsScreenProps) {
  const list = useInfiniteQuery(adminTicketsQuery(filter))
  const summary = useQuery(ticketsSummaryQuery(filter))
  const counts = summary.data
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={MessageCircle}
      list={list}
      summary={summary}
      figures={[
        [texts.stats.open, count(counts?.byStatus.open)],
        [texts.stats.inProgress, count(counts?.byStatus.in_progress)],
        [texts.stats.mine, count(counts?.byDesk.mine)],
        [texts.stats.nobody, count(counts?.byDesk.nobody)],
        [texts.stats.closed, count(counts?.byStatus.closed)],
      ]}
      value={filter.status}
      choices={ticketStatuses}
      labels={ticketStatus}
      counts={counts?.byStatus}
      onChoose={(status) => onFilter({ ...filter, status }, false)}
      more={{
        chips: <Desks filter={filter} counts={counts} onFilter={onFilter} />,
        beside: <Subjects filter={filter} counts={counts} onFilter={onFilter} />,
        set: Boolean(filter.desk || filter.subject),
      }}
      search={{ id: 'tickets-search', value: filter.q, onChange: (q) => onFilter({ ...filter, q }, true) }}
      card={(ticket) => <TicketCard ticket={ticket} filter={filter} />}
    />
  )
}

type FilterProps = TicketsScreenProps & { counts: TicketsSummary | undefined }

function Desks({ filter, counts, onFilter }: FilterProps) {
  return (
    <FilterChips
      legend={texts.desk}
      value={filter.desk}
      all={{ label: texts.desks.all, count: counts?.byDesk.all }}
      choices={ticketDesks}
      labels={texts.desks}
      counts={(desk) => counts?.byDesk[desk]}
      onChoose={(desk) => onFilter({ ...filter, desk }, false)}
    />
  )
}

function Subjects({ filter, counts, onFilter }: FilterProps) {
  return (
    <div className="w-full md:w-60">
      <Choice
        id="tickets-subject"
        label={texts.subject}
        value={filter.subject}
        choices={ticketSubjects}
        labels={Object.fromEntries(
          ticketSubjects.map((one) => [one, `${support.subjects[one]} (${count(counts?.bySubject[one])})`]),
        )}
        all={`${texts.anySubject} (${count(counts?.bySubject.all)})`}
        onChoose={(subject) => onFilter({ ...filter, subject }, false)}
      />
    </div>
  )
}

function TicketCard({ ticket, filter }: { ticket: AdminTicket; filter: TicketFilter }) {
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
          <Fact name={texts.assignee}>
            <Assignee ticket={ticket} />
          </Fact>
          {ticket.about ? <Fact name={texts.about}>{ticket.about.reference}</Fact> : null}
          <Standing ticket={ticket} />
        </>
      }
      open={
        <Link
          to="/admin/support/$id"
          params={{ id: ticket.id }}
          search={filter}
          data-open
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          <OpenText name={ticket.reference} />
        </Link>
      }
    />
  )
}

/** Who has it. */
export function Assignee({ ticket: { assignee } }: { ticket: AdminTicket }) {
  if (!assignee) return texts.nobody
  return assignee.mine ? texts.you(assignee.name) : assignee.name
}

/** How long its customer has waited, or since when nobody has to do anything. */
function Standing({ ticket }: { ticket: AdminTicket }) {
  const now = useNow(60_000)
  if (ticket.waitsSince)
    return (
      <Fact name={texts.waits}>
        <time dateTime={ticket.waitsSince} className="font-medium text-pending-text">
          {timeLeft(now - Date.parse(ticket.waitsSince))}
        </time>
      </Fact>
    )
  return (
    <Fact name={ticket.closedAt ? texts.closedAt : texts.answered}>
      <Time at={ticket.closedAt ?? ticket.updatedAt} />
    </Fact>
  )
}
