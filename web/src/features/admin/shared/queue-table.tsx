import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { queue as texts } from '@/messages/admin-queue'

/** One column of a queue's dense rows. */
export interface Column<Row> {
  key: string
  name: string
  cell: (row: Row) => ReactNode
  numeric?: boolean
  /** Shown by default only where the window is so wide, or not until it is chosen. */
  from?: 'xl' | '2xl' | 'chosen'
}

/** By the room that the table has: the sidebar takes some of the window's, folded less. */
const hiddenBelow = { xl: '@max-[60rem]:hidden', '2xl': '@max-[76rem]:hidden', chosen: '' } as const

/** The columns to show: those that were chosen, or the standard ones. */
export function columnsOf<Row>(columns: readonly Column<Row>[], chosen: string | undefined) {
  if (!chosen) return columns.filter(({ from }) => from !== 'chosen')
  const keys = chosen.split(',')
  const found = columns.filter(({ key }) => keys.includes(key))
  return found.length > 0 ? found : columns
}

/** Which rows are selected, and how that changes. */
export interface Selection<Row> {
  ids: ReadonlySet<string>
  can: (row: Row) => boolean
  onToggle: (row: Row) => void
  onAll: (on: boolean) => void
}

interface QueueTableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  /** Set by the user: no column is hidden automatically. */
  fixed: boolean
  rows: readonly Row[]
  nameOf: (row: Row) => string
  /** What can be done about a row. */
  actions: ((row: Row) => ReactNode) | undefined
  selection: Selection<Row> | undefined
}

const head = 'h-9 px-2 text-left font-medium whitespace-nowrap text-muted-foreground'

/** A queue as dense rows of 40 px. */
export function QueueTable<Row extends { id: string }>(props: QueueTableProps<Row>) {
  const { caption, columns, fixed, rows, nameOf, actions, selection } = props
  const widthOf = ({ from }: Column<Row>) => (fixed || !from ? '' : hiddenBelow[from])
  return (
    <div className="@container overflow-x-auto rounded-lg border bg-card">
      <table className="w-full text-dense">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b bg-card">
            {selection ? <SelectAll rows={rows} selection={selection} /> : null}
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                data-column={column.key}
                className={cn(head, 'first:pl-4', column.numeric && 'text-right', widthOf(column))}
              >
                {column.name}
              </th>
            ))}
            {actions ? (
              <th scope="col" className={cn(head, 'sticky right-0 bg-inherit pr-4 text-right')}>
                {texts.actions}
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody data-rows>
          {rows.map((row) => (
            <tr
              key={row.id}
              data-row={row.id}
              aria-selected={selection ? selection.ids.has(row.id) : undefined}
              className="h-10 border-b bg-card last:border-0 hover:bg-muted aria-selected:bg-primary-tint has-[:focus-visible]:bg-accent"
            >
              {selection ? <SelectCell row={row} name={nameOf(row)} selection={selection} /> : null}
              {columns.map((column) => (
                <td
                  key={column.key}
                  className={cn(
                    'px-2 first:pl-4',
                    column.numeric
                      ? 'text-right whitespace-nowrap tabular-nums'
                      : column.key === 'status'
                        ? 'max-w-48 truncate @min-[60rem]:max-w-72'
                        : 'max-w-36 truncate @min-[60rem]:max-w-48',
                    widthOf(column),
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
              {actions ? (
                <td className="sticky right-0 bg-inherit pr-4 pl-2">
                  <div className="flex items-center justify-end gap-1.5">{actions(row)}</div>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SelectAll<Row extends { id: string }>({
  rows,
  selection,
}: {
  rows: readonly Row[]
  selection: Selection<Row>
}) {
  const possible = rows.filter(selection.can)
  const all = possible.length > 0 && possible.every((row) => selection.ids.has(row.id))
  return (
    <th scope="col" className="w-10 pl-4 text-left">
      <input
        type="checkbox"
        aria-label={texts.selectAll}
        disabled={possible.length === 0}
        checked={all}
        onChange={() => selection.onAll(!all)}
        className="block size-4 accent-primary"
      />
    </th>
  )
}

interface SelectCellProps<Row> {
  row: Row
  name: string
  selection: Selection<Row>
}

function SelectCell<Row extends { id: string }>({ row, name, selection }: SelectCellProps<Row>) {
  return (
    <td className="w-10 pl-4">
      <input
        type="checkbox"
        aria-label={texts.select(name)}
        disabled={!selection.can(row)}
        checked={selection.ids.has(row.id)}
        onChange={() => selection.onToggle(row)}
        className="block size-4 accent-primary disabled:opacity-30"
      />
    </td>
  )
}
