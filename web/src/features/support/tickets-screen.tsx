import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { Card, CardTitle } from '@/components/ui/card'
import { rowsOf } from '@/lib/paging'
import { useConfig } from '@/lib/session'
import { support as texts } from '@/messages/support'
import { ticketsQuery } from './queries'
import { TicketForm, type TicketTopic } from './ticket-form'
import { TicketRow } from './ticket-row'

/** All of a customer's tickets, and the form; opened from an order, a gift card or a payout it is about that. */
export function TicketsScreen({ about, reference }: { about: TicketTopic; reference?: string | undefined }) {
  const query = useInfiniteQuery(ticketsQuery)
  const { claims } = useConfig()
  const navigate = useNavigate()
  const rows = rowsOf(query.data?.pages)
  const isLinked = Boolean(about.orderId || about.giftCardId)
  return (
    <Page title={texts.title} lead={texts.lead(claims)}>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <CardTitle className="mb-4">{reference ? texts.aboutThis(reference) : texts.ask}</CardTitle>
          <TicketForm
            key={`${about.orderId ?? ''}${about.giftCardId ?? ''}${reference ?? ''}`}
            about={about}
            opening={reference && !isLinked ? texts.opening(reference) : ''}
            onDone={(ticket) => void navigate({ to: '/support/$id', params: { id: ticket.id } })}
          />
        </Card>
        <Card>
          <CardTitle className="mb-2">{texts.mine}</CardTitle>
          {query.error ? (
            <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
          ) : null}
          {query.isPending ? <LoadingRows rows={2} /> : null}
          {query.data && rows.length === 0 ? (
            <NothingYet icon={MessageCircle} title={texts.empty} hint={texts.emptyHint} />
          ) : null}
          <ul className="divide-y">
            {rows.map((ticket) => (
              <li key={ticket.id}>
                <TicketRow ticket={ticket} />
              </li>
            ))}
          </ul>
          <MoreButton query={query} />
        </Card>
      </div>
    </Page>
  )
}
