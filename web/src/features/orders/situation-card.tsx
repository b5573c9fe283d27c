import { Link } from '@tanstack/react-router'
import { ArrowRight, CircleAlert, CircleCheck, Clock, Info, type LucideIcon, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OrderDetail } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { cn } from '@/lib/cn'
import { orders } from '@/messages/orders'
import { amendTexts, situations as texts } from '@/messages/situations'
import { HelpLink } from '../support/help-link'
import { AddressCard } from './address-card'
import { ChoicePanel } from './choice-panel'
import { MoneyFit } from './money-fit'
import { type Situation, situationOf } from './situation'

const looks: Record<Situation['tone'], { icon: LucideIcon; className: string }> = {
  info: { icon: Info, className: 'bg-info-tint text-info-text' },
  pending: { icon: Clock, className: 'bg-pending-tint text-pending-text' },
  danger: { icon: CircleAlert, className: 'bg-danger-tint text-danger-text' },
  success: { icon: CircleCheck, className: 'bg-success-tint text-success-text' },
}

/** An order that waits, stopped or ended: what happened, where the money is, what comes next, what one can do. */
export function SituationCard({ order }: { order: OrderDetail }) {
  const found = situationOf(order)
  if (!found) return null
  const { icon: Icon, className } = looks[found.tone]
  return (
    <section
      data-situation={found.key}
      aria-labelledby="situation-title"
      className="overflow-hidden rounded-lg border bg-card"
    >
      <div
        role={found.tone === 'danger' ? 'alert' : 'status'}
        className={cn('flex items-start gap-3 px-4 py-3.5 md:px-6', className)}
      >
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
        <div className="min-w-0 flex-1 md:flex md:items-baseline md:justify-between md:gap-4">
          <h2 id="situation-title" tabIndex={-1} className="text-base font-semibold outline-none">
            {found.title}
          </h2>
          {found.since ? (
            <p className="text-sm whitespace-nowrap">
              {texts.since('')}
              <Time at={found.since} />
            </p>
          ) : null}
        </div>
      </div>
      <div className="p-4 md:p-6">
        <dl className="space-y-4">
          <Point icon={Info} name={texts.happened}>
            {found.happened}
          </Point>
          <Point icon={Wallet} name={texts.money}>
            {found.money}
          </Point>
          <Point icon={ArrowRight} name={texts.next}>
            {found.next}
          </Point>
        </dl>
        <MoneyFit order={order} situation={found} />
        {order.choices.includes('amend_address') ? <Another order={order} /> : null}
        <ChoicePanel order={order} />
        <Ways order={order} situation={found} />
      </div>
    </section>
  )
}

/** The form for another address; folded while one waits for its link. */
function Another({ order }: { order: OrderDetail }) {
  if (!order.heldAddress) return <AddressCard order={order} />
  return (
    <details className="mt-6 border-t pt-5">
      <summary className="cursor-pointer text-sm font-medium">{amendTexts.another}</summary>
      <AddressCard order={order} />
    </details>
  )
}

function Point({ icon: Icon, name, children }: { icon: LucideIcon; name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-3 md:grid-cols-[1.25rem_9.5rem_minmax(0,1fr)]">
      <Icon aria-hidden className="mt-0.5 size-4.5 text-muted-foreground" />
      <dt className="text-sm font-medium">{name}</dt>
      <dd className="col-start-2 text-sm text-muted-foreground wrap-anywhere md:col-start-3">{children}</dd>
    </div>
  )
}

/** Where else to turn: a new order after one that ended, help with the reference filled in, the balance a refund went to, the verification. */
function Ways({ order, situation }: { order: OrderDetail; situation: Situation }) {
  const toBalance = order.refunds.some((refund) => refund.destination === 'balance')
  return (
    <div className="mt-5 flex flex-wrap items-center gap-x-3 gap-y-2 border-t pt-4">
      {order.status === 'failed' && order.metadata.resolution ? (
        <Link to="/buy" className={buttonVariants({ size: 'sm' })}>
          {orders.newOrder}
        </Link>
      ) : null}
      <HelpLink order={order.id} reference={order.reference} button />
      {situation.key === 'identity' ? (
        <Link to="/kyc" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
          {texts.identityLink}
        </Link>
      ) : null}
      {toBalance ? (
        <Link to="/balance" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
          {texts.balanceLink}
        </Link>
      ) : null}
    </div>
  )
}
