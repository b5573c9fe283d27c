import type { ReactNode } from 'react'
import { Time } from './time'

interface StoryProps<E> {
  events: readonly E[]
  tell: (event: E) => ReactNode
  /** How a time is shown, where not in its usual form; `after` is when the event before it happened. */
  timeOf?: (at: string, after: string | undefined) => ReactNode
}

/** What happened to something, oldest first. */
export function Story<E extends { id: number | string; at: string }>({
  events,
  tell,
  timeOf,
}: StoryProps<E>) {
  return (
    <ol className="space-y-3">
      {events.map((event, index) => (
        <li
          key={event.id}
          aria-current={index === events.length - 1 ? 'step' : undefined}
          className="grid gap-x-4 text-sm xs:grid-cols-[minmax(0,1fr)_auto]"
        >
          <span className="min-w-0 wrap-anywhere">{tell(event)}</span>
          <span className="text-muted-foreground">
            {timeOf ? timeOf(event.at, events[index - 1]?.at) : <Time at={event.at} />}
          </span>
        </li>
      ))}
    </ol>
  )
}
