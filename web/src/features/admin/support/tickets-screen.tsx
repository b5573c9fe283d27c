import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AdminTicket, TicketsSummary } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { ticketLooks } from '@/features/support/looks'
import { useNow } from '@/lib/clock'
import { count, MISSING, timeLeft } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { inbox as texts } from '@/messages/admin-inbox'
import { queue } from '@/messages/admin-queue'
import { support, ticketStatus } from '@/messages/support'
import { FilterChips } from '../shared/chips'
import { Choice } from '../shared/choice'
import { Fact } from '../shared/facts'
import { Person } from '../shared/person'
import { PhoneRow, phoneFrame, phoneLink } from '../shared/phone-row'
import { OpenText, Queue, QueueCard } from '../shared/queue'
import { Age, RowStatus, rowLink } from '../shared/queue-cells'
import { shownStatus } from '../shared/queue-filter'
import type { Column } from '../shared/queue-table'
import { toCustomer, useRowWork } from '../shared/row-work'
import { type TicketFilter, ticketDesks, ticketStatuses, ticketSubjects } from './filters'
import { adminTicketsQuery, ticketActions, ticketsSummaryQuery } from './queries'
import { TicketDialog, ticketButtons } from './ticket-acts'
import { ANSWER } from './ticket-composer'
import { useTicketAct } from './use-ticket-act'

interface TicketsScreenProps {
  filter: TicketFilter
  onFilter: (filter: TicketFilter, replace: boolean) => void
}

/** The inbox of those who answer customers: of one status, the longest wait first. */
export function AdminTicketsScreen({ filter, onFilter }: TicketsScreenProps) {
  const list = useInfiniteQuery(adminTicketsQuery(filter))
  const summary = useQuery(ticketsSummaryQuery(filter))
  const counts = summary.data
  const phone = usePhone()
  const navigate = useNavigate()
  const act = useTicketAct()
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf: ({ reference }) => reference,
    buttons: ticketButtons,
    may: ({ actions }) => actions,
    links: ({ userId }) => [toCustomer(texts.customer, userId)],
    atOnce: {
      take: ({ id }) => act.mutate({ done: texts.assigned, run: () => ticketActions.take(id) }),
      reopen: ({ id }) => act.mutate({ done: texts.done, run: () => ticketActions.reopen(id) }),
      reply: ({ id }) =>
        void navigate({ to: '/admin/support/$id', params: { id }, search: filter, hash: ANSWER }),
    },
    dialog: (ticket, action, close) =>
      action === 'assign' || action === 'close' ? (
        <TicketDialog ticket={ticket} dialog={action} act={act} onClose={close} />
      ) : null,
  })
  return (
    <Queue
      title={texts.title}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={MessageCircle}
      list={list}
      summary={summary}
      value={shownStatus(filter.status, filter.q ?? filter.desk ?? filter.subject, 'open')}
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
      card={(ticket) =>
        phone ? (
          <TicketLines ticket={ticket} filter={filter} acts={work.phoneActs(ticket)} />
        ) : (
          <TicketCard ticket={ticket} filter={filter} />
        )
      }
      dense={{ columns: columns(filter), nameOf: (ticket) => ticket.reference }}
      work={work}
    />
  )
}

const columns = (filter: TicketFilter): readonly Column<AdminTicket>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: ({ id, reference }) => (
      <Link to="/admin/support/$id" params={{ id }} search={filter} data-open className={rowLink}>
        {reference}
      </Link>
    ),
  },
  { key: 'subject', name: texts.subject, cell: ({ subject }) => support.subjects[subject] },
  { key: 'message', name: queue.message, cell: ({ message }) => <span title={message}>{message}</span> },
  { key: 'customer', name: texts.customer, cell: (ticket) => ticket.customerName || ticket.customerEmail },
  { key: 'about', name: texts.about, from: 'xl', cell: ({ about }) => about?.reference ?? MISSING },
  { key: 'assignee', name: texts.assignee, cell: (ticket) => <Assignee ticket={ticket} /> },
  {
    key: 'age',
    name: texts.waits,
    numeric: true,
    cell: ({ waitsSince }) => (waitsSince ? <Age since={waitsSince} /> : MISSING),
  },
  { key: 'status', name: queue.status, cell: ({ status }) => <RowStatus look={ticketLooks[status]} /> },
]

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
          <Fact name={texts.customer}>
            <Person name={ticket.customerName || ticket.customerEmail} />
          </Fact>
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
  if (!assignee) return <>{texts.nobody}</>
  return <>{assignee.mine ? texts.you(assignee.name) : assignee.name}</>
}

/** How long its customer has waited, or since when the ticket needs no answer. */
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

interface TicketLinesProps {
  ticket: AdminTicket
  filter: TicketFilter
  acts: ReactNode
}

/** A ticket on a phone. */
function TicketLines({ ticket, filter, acts }: TicketLinesProps) {
  return (
    <PhoneRow
      className={phoneFrame}
      title={
        <Link
          to="/admin/support/$id"
          params={{ id: ticket.id }}
          search={filter}
          data-open
          className={phoneLink}
        >
          {support.subjects[ticket.subject]}
          <span className="sr-only"> {ticket.reference}</span>
        </Link>
      }
      figure={ticket.waitsSince ? <Age since={ticket.waitsSince} /> : <Time at={ticket.updatedAt} />}
      about={
        <>
          <Person name={ticket.customerName || ticket.customerEmail} /> · <Assignee ticket={ticket} />
          <span className="line-clamp-1">{ticket.message}</span>
        </>
      }
      badge={<RowStatus look={ticketLooks[ticket.status]} />}
      acts={acts}
    />
  )
}
