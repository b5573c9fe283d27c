import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

/** A real table from 768 px on; below, each row is a card whose cells carry their column's name. */
export function Table({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <table className="w-full text-left text-sm max-md:block md:text-dense">
      <caption className="sr-only">{caption}</caption>
      {children}
    </table>
  )
}

export function HeadRow({ children }: { children: ReactNode }) {
  return (
    <thead className="max-md:sr-only">
      <tr className="border-b">{children}</tr>
    </thead>
  )
}

export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className="max-md:block">{children}</tbody>
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

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="border-b last:border-0 max-md:block max-md:py-3 max-md:first:pt-0 max-md:last:pb-0 md:h-10 md:hover:bg-muted">
      {children}
    </tr>
  )
}

export function Cell({ label, children, numeric, className }: CellProps & { label: string }) {
  return (
    <td
      className={cn(
        'max-md:flex max-md:items-baseline max-md:justify-between max-md:gap-4 max-md:py-1 max-md:first:font-medium md:px-3 md:py-2 md:first:pl-0 md:last:pr-0',
        numeric && 'tabular-nums md:text-right',
        className,
      )}
    >
      <span aria-hidden className="text-muted-foreground md:hidden">
        {label}
      </span>
      <span className="min-w-0 max-md:text-right">{children}</span>
    </td>
  )
}
