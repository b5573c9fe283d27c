import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { AdminTicketDetail } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { Card } from '@/components/ui/card'
import { ticketLooks } from '@/features/support/looks'
import { inbox as texts } from '@/messages/admin-inbox'
import { support } from '@/messages/support'
import { QueueWalk, useQueueWork } from '../shared/queue-walk'
import { RecordFrame, RecordHead, RecordLead } from '../shared/record-frame'
import type { TicketFilter } from './filters'
import { adminTicketQuery, adminTicketsQuery } from './queries'
import { TicketButtons, useTicketKeys } from './ticket-acts'
import { TicketAside } from './ticket-aside'
import { TicketComposer, useComposer } from './ticket-composer'
import { TicketTimeline } from './ticket-timeline'
import { Assignee } from './tickets-screen'

interface TicketScreenProps {
  id: string
  /** The list that it was opened from: what is done with leads to the next in it. */
  filter: TicketFilter
}

/** One ticket with its conversation, what stands beside it, and what staff can do with it. */
export function AdminTicketScreen({ id, filter }: TicketScreenProps) {
  return (
    <RecordFrame query={useQuery(adminTicketQuery(id))} title={support.ticket} failed={texts.fetchFailed}>
      {(ticket) => <Loaded key={ticket.id} ticket={ticket} filter={filter} />}
    </RecordFrame>
  )
}

function Loaded({ ticket, filter }: { ticket: AdminTicketDetail; filter: TicketFilter }) {
  const work = useQueueWork(useInfiniteQuery(adminTicketsQuery(filter)), ticket.id, '/admin/support', filter)
  // A closed ticket has left the open queue: the next takes its place.
  const onClosed = filter.status && filter.status !== 'closed' ? work.onward : undefined
  const composer = useComposer(ticket)
  const keys = useTicketKeys(ticket, composer.open)
  return (
    <>
      <RecordHead
        title={support.subjects[ticket.subject]}
        lead={<RecordLead record={ticket} />}
        look={ticketLooks[ticket.status]}
        list={{ to: '/admin/support', title: texts.title, search: filter }}
      />
      <div className="space-y-6">
        <QueueWalk work={work} others={keys.hints}>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <p className="text-sm">
              <span className="text-muted-foreground">{texts.assignee}:</span>{' '}
              <span className="font-medium">
                <Assignee ticket={ticket} />
              </span>
              {ticket.assignee ? (
                <span className="text-muted-foreground">
                  {' '}
                  {texts.since} <Time at={ticket.assignee.since} />
                </span>
              ) : null}
            </p>
            <TicketButtons ticket={ticket} keys={keys} onClosed={onClosed} />
          </div>
        </QueueWalk>
        <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="min-w-0 space-y-6">
            <Card>
              <TicketTimeline messages={ticket.conversation} notes={ticket.notes} />
            </Card>
            <TicketComposer ticket={ticket} composer={composer} onClosed={onClosed} />
          </div>
          <TicketAside ticket={ticket} />
        </div>
      </div>
    </>
  )
}
