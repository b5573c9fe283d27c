import { ChevronRight } from 'lucide-react'
import type { OrderDetail } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { Timeline } from '@/components/status/timeline'
import { timeZone } from '@/lib/format'
import { orders } from '@/messages/orders'
import { stepsOf } from './steps'
import { eventSentence } from './story'

/** Where the order stands, in three steps. */
export function OrderTimeline({ order }: { order: OrderDetail }) {
  const steps = stepsOf(order).map(({ note, at, ...step }) => ({
    ...step,
    notes: note
      ? [{ id: step.key, text: note, at }]
      : at
        ? [{ id: step.key, text: orders.notes.done, at }]
        : [],
  }))
  return <Timeline steps={steps} />
}

/** Single attempts are counted on the page, not listed. */
const quiet = new Set(['attempt_failed'])

/** Everything that happened, in its order, to the second. */
export function OrderLog({ order }: { order: OrderDetail }) {
  const events = order.events.filter((event) => !quiet.has(event.kind))
  return (
    <details className="group mt-5 border-t pt-4">
      <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-sm text-sm font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground transition-transform group-open:rotate-90"
        />
        {orders.log}
      </summary>
      <ol className="mt-3 space-y-1.5 text-sm text-muted-foreground">
        {events.map((event) => (
          <li key={event.id} className="grid gap-x-4 xs:grid-cols-[minmax(0,1fr)_auto]">
            <span className="min-w-0 wrap-anywhere">{eventSentence(event)}</span>
            <Time at={event.at} exact />
          </li>
        ))}
      </ol>
      <p className="mt-3 text-xs text-muted-foreground">{orders.zone(timeZone())}</p>
    </details>
  )
}
