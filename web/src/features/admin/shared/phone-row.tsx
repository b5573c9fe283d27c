import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

/** What opens a row of a phone: pressed anywhere in the row. */
export const phoneLink = 'rounded-sm font-medium after:absolute after:inset-0'

interface PhoneRowProps {
  /** What the row is, with a `phoneLink` where it opens. */
  title: ReactNode
  figure?: ReactNode
  about: ReactNode
  badge?: ReactNode
  more?: ReactNode
  /** What can be done about the row now, as high as a thumb needs. */
  acts?: ReactNode
  className?: string
}

/** A row of a list on a phone: its title and figure, its details and status, and its acts. */
export function PhoneRow({ title, figure, about, badge, more, acts, className }: PhoneRowProps) {
  return (
    // Text for screen readers alone stands at the row's beginning: behind a long text it would widen the
    // page.
    <article className={cn('relative grid grid-cols-1 gap-y-1 text-sm [&_.sr-only]:left-0', className)}>
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="min-w-0 text-sm wrap-anywhere">{title}</h2>
        <div className="shrink-0 tabular-nums">{figure}</div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <p
          className={cn(
            'min-w-0 text-xs wrap-anywhere text-muted-foreground',
            acts ? 'basis-full' : 'grow basis-32',
          )}
        >
          {about}
        </p>
        <div className={cn('flex min-w-0 max-w-full items-center gap-2 empty:hidden', acts && 'basis-full')}>
          <div className="min-w-0 grow">{badge}</div>
          {acts ? (
            <div className="relative flex shrink-0 items-center gap-1 [&>button]:min-h-11 [&>button]:min-w-11">
              {acts}
            </div>
          ) : null}
        </div>
      </div>
      {more ? <p className="text-xs wrap-anywhere text-muted-foreground">{more}</p> : null}
    </article>
  )
}

/** What a row stands in among others that have a frame each. */
export const phoneFrame = 'rounded-lg border bg-card px-4 py-2.5 has-[:focus-visible]:bg-accent'

interface PhoneRowsProps<Row> {
  caption: string
  rows: readonly Row[]
  row: (row: Row) => ReactNode
}

/** The lines of a table as rows of a phone. */
export function PhoneRows<Row extends { id: string | number }>({ caption, rows, row }: PhoneRowsProps<Row>) {
  return (
    <ul aria-label={caption} className="divide-y">
      {rows.map((one) => (
        <li
          key={one.id}
          data-row={one.id}
          tabIndex={-1}
          className="py-2.5 outline-none first:pt-0 last:pb-0 has-[:focus-visible]:bg-accent"
        >
          {row(one)}
        </li>
      ))}
    </ul>
  )
}
