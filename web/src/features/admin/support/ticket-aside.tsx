import { Link } from '@tanstack/react-router'
import type { AdminTicketDetail, TicketOrder, TicketStep } from '@/api/types.gen'
import { CryptoAmount, Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { customerKycLooks, lookOfOrder } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { spaced } from '@/lib/format'
import { adminCustomers } from '@/messages/admin-customers'
import { inbox as texts } from '@/messages/admin-inbox'
import { Fact, Facts } from '../shared/facts'
import { ObjectLink } from '../shared/object-link'
import { Person } from '../shared/person'

/** The context of an answer: the customer, their orders, and the ticket's history. */
export function TicketAside({ ticket }: { ticket: AdminTicketDetail }) {
  const { customer, about } = ticket
  return (
    <div className="min-w-0 space-y-6">
      <Card>
        <CardTitle className="mb-4">{texts.customerCard}</CardTitle>
        <Facts>
          <Fact name={texts.customer} wide>
            <Link to="/admin/customers/$id" params={{ id: ticket.userId }} className={textLink}>
              <Person name={ticket.customerName || ticket.customerEmail} />
            </Link>
            {ticket.customerName ? (
              <span className="block text-xs text-muted-foreground">{ticket.customerEmail}</span>
            ) : null}
          </Fact>
          <Fact name={texts.verification}>
            <StatusBadge look={customerKycLooks[customer.kycStatus]} />
          </Fact>
          <Fact name={texts.balance}>
            <Usd amount={customer.balance} />
          </Fact>
          {Number(customer.receivable) > 0 ? (
            <Fact name={texts.owes}>
              <Usd amount={customer.receivable} />
            </Fact>
          ) : null}
          {about?.kind === 'gift_card' ? (
            <Fact name={texts.about}>
              <ObjectLink kind="gift_card" id={about.id}>
                {about.reference}
              </ObjectLink>
            </Fact>
          ) : null}
          {ticket.closesAt ? (
            <Fact name={texts.closesAt}>
              <Time at={ticket.closesAt} />
            </Fact>
          ) : null}
        </Facts>
        {customer.flags.length > 0 ? (
          <ul className="mt-4 flex flex-wrap gap-2">
            {customer.flags.map((flag) => (
              <li key={flag}>
                <StatusBadge look={{ label: adminCustomers.flag[flag] ?? spaced(flag), tone: 'danger' }} />
              </li>
            ))}
          </ul>
        ) : null}
      </Card>
      <Card>
        <CardTitle className="mb-2">{texts.orders}</CardTitle>
        {customer.orders.length === 0 ? (
          <p className="text-sm text-muted-foreground">{texts.noOrders}</p>
        ) : (
          <ul className="divide-y">
            {customer.orders.map((order) => (
              <OrderLine key={order.id} order={order} />
            ))}
          </ul>
        )}
      </Card>
      <History steps={ticket.history} />
    </div>
  )
}

function OrderLine({ order }: { order: TicketOrder }) {
  return (
    <li className={cn('py-3 text-sm md:text-dense', order.about && '-mx-2 rounded-md bg-primary-tint px-2')}>
      {order.about ? <p className="mb-1 text-xs font-medium text-primary">{texts.thisOne}</p> : null}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Link to="/admin/orders/$id" params={{ id: order.id }} className={cn(textLink, 'font-mono text-xs')}>
          {order.reference}
        </Link>
        <StatusBadge look={lookOfOrder({ ...order, metadata: order })} />
      </div>
      <div className="mt-1 flex flex-wrap justify-between gap-x-4 text-muted-foreground">
        <span>
          <Usd amount={order.total} className="text-foreground" /> ·{' '}
          <CryptoAmount amount={order.amount} asset={order.asset} />
        </span>
        <Time at={order.createdAt} />
      </div>
    </li>
  )
}

/** The ticket's assignments and their times, newest first. */
function History({ steps }: { steps: readonly TicketStep[] }) {
  if (steps.length === 0) return null
  return (
    <Card>
      <CardTitle className="mb-3">{texts.history}</CardTitle>
      <ol className="space-y-2 text-sm md:text-dense">
        {steps.toReversed().map((step) => (
          <li key={`${step.at} ${step.kind}`} className="wrap-anywhere">
            <span className="font-medium">{said(step)}</span>{' '}
            <span className="text-muted-foreground">
              {step.name ? `· ${step.name}` : texts.by[step.by]} · <Time at={step.at} />
            </span>
            {step.reason ? <p className="text-muted-foreground">“{step.reason}”</p> : null}
          </li>
        ))}
      </ol>
    </Card>
  )
}

function said({ kind, to, name }: TicketStep): string {
  if (kind === 'assign' && to) return texts.assignedTo(to)
  const word = texts.steps[kind] ?? spaced(kind)
  // An answer to an unassigned ticket also assigned it.
  return kind.startsWith('reply') && to && to === name ? `${word} · ${texts.steps.take}` : word
}
