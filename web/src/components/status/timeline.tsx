import { Check, Circle, CircleX, LoaderCircle } from 'lucide-react'
import { cn } from '@/lib/cn'
import { stepStates } from '@/messages/steps'
import { Time } from './time'

export type StepState = keyof typeof stepStates

export interface TimelineStep {
  key: string
  title: string
  state: StepState
  /** What happened in it, with its time where that is known. */
  notes: readonly { id: number | string; text: string; at?: string | undefined }[]
}

const marks = {
  done: { icon: Check, className: 'bg-success-tint text-success-text' },
  current: { icon: LoaderCircle, className: 'bg-progress-tint text-progress-text [&_svg]:animate-spin' },
  waiting: { icon: Circle, className: 'bg-pending-tint text-pending-text' },
  failed: { icon: CircleX, className: 'bg-danger-tint text-danger-text' },
  ended: { icon: CircleX, className: 'bg-neutral-tint text-neutral-text' },
  next: { icon: Circle, className: 'bg-muted text-muted-foreground' },
} as const

/** A way in steps: what is done, what happens now, what comes. */
export function Timeline({ steps }: { steps: readonly TimelineStep[] }) {
  return (
    <ol>
      {steps.map((step, index) => (
        <StepRow key={step.key} step={step} last={index === steps.length - 1} />
      ))}
    </ol>
  )
}

function StepRow({ step, last }: { step: TimelineStep; last: boolean }) {
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
          <span className="sr-only">, {stepStates[step.state]}</span>
        </p>
        {step.notes.length > 0 ? (
          <ul className="mt-1 space-y-1">
            {step.notes.map((note) => (
              <li
                key={note.id}
                className="grid gap-x-4 text-sm text-muted-foreground xs:grid-cols-[minmax(0,1fr)_auto]"
              >
                <span className="min-w-0 wrap-anywhere">{note.text}</span>
                {note.at ? <Time at={note.at} /> : null}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </li>
  )
}
