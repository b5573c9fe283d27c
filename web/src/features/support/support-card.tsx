import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fold } from '@/components/form/fold'
import { Questions } from '@/components/layout/questions'
import { Failed, LoadingRows } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { useConfig } from '@/lib/session'
import { dashboard } from '@/messages/dashboard'
import { support as texts } from '@/messages/support'
import { recentTicketsQuery } from './queries'
import { TicketForm } from './ticket-form'
import { TicketRow } from './ticket-row'

/** specification §2: the first three tickets, the form, and frequent questions. */
export function SupportCard() {
  const { claims } = useConfig()
  return (
    <Card id="support">
      <CardTitle>{texts.title}</CardTitle>
      <CardLead>{texts.lead(claims)}</CardLead>
      <Fold of="support" label={texts.ask}>
        <div className="mt-4 grid gap-8 lg:grid-cols-2">
          <section aria-label={texts.ask}>
            <h3 className="mb-3 text-base">{texts.ask}</h3>
            <TicketForm />
          </section>
          <div className="space-y-6">
            <Recent />
            <Questions items={dashboard.faq(claims.kycFreeUnderUsd)} className="border-t" />
          </div>
        </div>
      </Fold>
    </Card>
  )
}

function Recent() {
  const query = useQuery(recentTicketsQuery)
  return (
    <section aria-label={texts.mine}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-base">{texts.mine}</h3>
        <Link to="/support" className={buttonVariants({ variant: 'ghost', size: 'sm' })}>
          {texts.allTickets}
        </Link>
      </div>
      {query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <LoadingRows rows={1} />
      ) : query.data.length === 0 ? (
        <p className="py-3 text-sm text-muted-foreground">{texts.emptyHint}</p>
      ) : (
        <ul className="divide-y">
          {query.data.map((ticket) => (
            <li key={ticket.id}>
              <TicketRow ticket={ticket} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
