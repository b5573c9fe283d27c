import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { MISSING } from '@/lib/format'

interface TableProps {
  caption: string
  /** How much room its columns need. */
  needs?: keyof typeof rooms
  children: ReactNode
}

/** The widths at which each is a table stand with their variants in app.css. */
const rooms = {
  little: '@container/little',
  some: '@container/some',
  room: '@container/room',
  much: '@container/much',
}

/**
 * A table where its columns have room; elsewhere each row is a card whose cells are labelled with their
 * column's name.
 */
export function Table({ caption, needs = 'room', children }: TableProps) {
  return (
    <div className={rooms[needs]}>
      <table className="w-full text-left text-sm stacked:block tabled:text-dense">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  )
}

export function HeadRow({ children }: { children: ReactNode }) {
  return (
    <thead className="stacked:sr-only">
      <tr className="border-b">{children}</tr>
    </thead>
  )
}

export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className="stacked:block">{children}</tbody>
}

interface CellProps {
  children: ReactNode
  numeric?: boolean
  className?: string
}

export function ColumnHead({ children, numeric, className }: CellProps) {
  return (
    <th
      scope="col"
      className={cn(
        'sticky top-0 bg-card px-3 py-2 font-medium whitespace-nowrap text-muted-foreground first:pl-0 last:pr-0',
        numeric && 'text-right',
        className,
      )}
    >
      {children}
    </th>
  )
}

interface RowProps {
  children: ReactNode
  className?: string
  /** The row's name among those that keys lead through. */
  keyed?: string | number
}

export function Row({ children, className, keyed }: RowProps) {
  return (
    <tr
      {...(keyed === undefined ? {} : { 'data-row': keyed, tabIndex: -1 })}
      className={cn(
        'border-b last:border-0 stacked:block stacked:py-3 stacked:first:pt-0 stacked:last:pb-0 tabled:h-10 tabled:hover:bg-muted',
        keyed !== undefined && 'outline-none focus-visible:bg-accent has-[:focus-visible]:bg-accent',
        className,
      )}
    >
      {children}
    </tr>
  )
}

/**
 * `plain` cells of a card omit their column's name, which they do not need; an empty one has no line there.
 */
export function Cell({
  label,
  children,
  numeric,
  plain,
  className,
}: CellProps & { label: string; plain?: boolean }) {
  return (
    <td
      className={cn(
        'stacked:flex stacked:items-baseline stacked:justify-between stacked:gap-4 stacked:py-1 stacked:first:font-medium tabled:px-3 tabled:py-2 tabled:first:pl-0 tabled:last:pr-0',
        numeric && 'tabular-nums tabled:text-right',
        children === MISSING && 'stacked:hidden',
        plain && 'stacked:block',
        className,
      )}
    >
      {plain ? (
        children
      ) : (
        <>
          <span aria-hidden className="text-muted-foreground tabled:hidden">
            {label}
          </span>
          <span className="min-w-0 stacked:text-right">{children}</span>
        </>
      )}
    </td>
  )
}
