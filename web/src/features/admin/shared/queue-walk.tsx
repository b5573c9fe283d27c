import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format'
import { records as texts } from '@/messages/admin-records'
import { KeyLegend, type Shortcut, useKeys } from './keys'
import type { ListQuery } from './list-frame'
import { type Neighbours, useNeighbours } from './walk'

interface WalkProps extends Neighbours {
  onGo: (id: string) => void
}

/** The position in a list, and the links to the record before and after. */
export function Walk({ previous, next, place, total, onGo }: WalkProps) {
  return (
    <>
      <span aria-live="polite" className="text-dense text-muted-foreground tabular-nums">
        {place > 0 ? texts.place(count(place), count(total)) : ''}
      </span>
      <Step label={texts.previous} shortcut="k" to={previous} onGo={onGo}>
        <ChevronUp aria-hidden />
      </Step>
      <Step label={texts.next} shortcut="j" to={next} onGo={onGo}>
        <ChevronDown aria-hidden />
      </Step>
    </>
  )
}

interface StepProps {
  label: string
  shortcut: string
  to: string | undefined
  onGo: (id: string) => void
  children: ReactNode
}

function Step({ label, shortcut, to, onGo, children }: StepProps) {
  return (
    <Button
      variant="outline"
      size="icon-sm"
      aria-label={label}
      aria-keyshortcuts={shortcut}
      title={`${label} (${shortcut.toUpperCase()})`}
      aria-disabled={!to}
      className="aria-disabled:cursor-not-allowed aria-disabled:opacity-55"
      onClick={() => (to ? onGo(to) : undefined)}
    >
      {children}
    </Button>
  )
}

interface QueueWork {
  neighbours: Neighbours
  onGo: (id: string) => void
  onList: () => void
  /** To what waits next, or back to the list where nothing does. */
  onward: () => void
}

/** One record of a list that is worked through: what stands beside it, and the ways there, which keep the list's filter. */
export function useQueueWork<Row extends { id: string }>(
  list: ListQuery<Row>,
  id: string,
  page: string,
  search: object,
): QueueWork {
  const navigate = useNavigate()
  const neighbours = useNeighbours(list, id)
  const onList = () => void navigate({ to: page, search })
  const onGo = (to: string) => void navigate({ to: `${page}/${to}`, search })
  return {
    neighbours,
    onGo,
    onList,
    onward: () => (neighbours.next ? onGo(neighbours.next) : onList()),
  }
}

interface QueueWalkProps {
  work: QueueWork
  /** What else acts on this page; each listens for itself. */
  others: readonly Pick<Shortcut, 'key' | 'label'>[]
  /** What can be decided here. */
  children: ReactNode
}

/** A record's decisions and its place in the queue that is worked off: J and K lead through it, Escape back to it. */
export function QueueWalk({ work: { neighbours, onGo, onList }, others, children }: QueueWalkProps) {
  const { previous, next } = neighbours
  const shortcuts: Shortcut[] = [
    { key: 'j', label: texts.next, run: next ? () => onGo(next) : undefined },
    { key: 'k', label: texts.previous, run: previous ? () => onGo(previous) : undefined },
    { key: 'Escape', label: texts.toList, run: onList },
  ]
  useKeys(shortcuts)
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">{children}</div>
        <div className="flex items-center gap-2">
          <Walk {...neighbours} onGo={onGo} />
        </div>
      </div>
      <KeyLegend shortcuts={[...others, ...shortcuts]} />
    </div>
  )
}
