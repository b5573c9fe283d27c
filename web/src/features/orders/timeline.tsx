import { Check, Circle, CircleX, LoaderCircle } from 'lucide-react'
import type { OrderDetail, OrderEvent } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { cn } from '@/lib/cn'
import { orders } from '@/messages/orders'
import { type Step, stepsOf } from './steps'
import { eventSentence } from './story'

/** The order's story: what is done, what happens now, what comes. */
export function Timeline({ order }: { order: OrderDetail }) {
  const steps = stepsOf(order)
  return (
    <ol className="space-y-0">
      {steps.map((step, index) => (
        <StepRow key={step.key} step={step} last={index === steps.length - 1} />
      ))}
    </ol>
  )
}

const marks = {
  done: { icon: Check, className: 'bg-success-tint text-success-text' },
  current: { icon: LoaderCircle, className: 'bg-progress-tint text-progress-text [&_svg]:animate-spin' },
  waiting: { icon: Circle, className: 'bg-pending-tint text-pending-text' },
  failed: { icon: CircleX, className: 'bg-danger-tint text-danger-text' },
  ended: { icon: CircleX, className: 'bg-neutral-tint text-neutral-text' },
  next: { icon: Circle, className: 'bg-muted text-muted-foreground' },
} as const

function StepRow({ step, last }: { step: Step; last: boolean }) {
  const { icon: Icon, className } = marks[step.state]
  const now = step.state === 'current' || step.state === 'waiting'
  return (
    <li aria-current={now ? 'step' : undefined} className="relative flex gap-4 pb-6 last:pb-0">
      {last ? null : <span aria-hidden className="absolute top-8 bottom-0 left-[15px] w-px bg-border" />}
      <span className={cn('grid size-8 shrink-0 place-items-center rounded-full', className)}>
        <Icon aria-hidden className="size-4" />
      </span>
      <div className="min-w-0 flex-1 pt-1">
        <p className={cn('text-sm font-medium', step.state === 'next' && 'text-muted-foreground')}>
          {step.title}
          <span className="sr-only">, {orders.stepStates[step.state]}</span>
        </p>
        {step.events.length > 0 ? (
          <ul className="mt-1 space-y-1">
            {step.events.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </ul>
        ) : null}
      </div>
    </li>
  )
}

function EventRow({ event }: { event: OrderEvent }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 text-sm text-muted-foreground">
      <span>{eventSentence(event)}</span>
      <Time at={event.at} />
    </li>
  )
}
