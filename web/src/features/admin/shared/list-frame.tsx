import { useSearch } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Stat } from '@/components/money/money'
import { Failed, LoadingRows, NothingFound, NothingYet } from '@/components/states/states'
import { cn } from '@/lib/cn'
import { type ListPage, rowsOf } from '@/lib/paging'
import { useWide } from '@/lib/wide'
import { queue as queueTexts } from '@/messages/admin-queue'
import { FilterFold, type Search } from './filter-fold'
import { Freshness, readAnew } from './freshness'
import { KeyLegend } from './keys'
import { entryOf, nextOf, rowsBelow, workOn } from './queue-focus'
import { type RowAct, useQueueKeys } from './queue-keys'
import { type Column, columnsOf, QueueTable, type Selection } from './queue-table'
import type { RowWork } from './row-work'

/** The columns that were chosen for this list, as the address has them. */
function useChosenColumns(): string | undefined {
  const search: { cols?: string } = useSearch({ strict: false })
  return search.cols
}
const QueueViews = lazy(() => import('./queue-views'))

export interface ListQuery<Row> {
  data: { pages: ListPage<Row>[] } | undefined
  error: Error | null
  isPending: boolean
  isFetching: boolean
  dataUpdatedAt: number
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
  refetch: () => Promise<unknown>
}

interface Emptiness {
  title: string
  /** Said when a filter is set. */
  filteredHint: string
  firstHint?: string
  icon: LucideIcon
}

/** A list's dense rows, from 1,024 px on. */
export interface Dense<Row> {
  columns: readonly Column<Row>[]
  /** What a row is called. */
  nameOf: (row: Row) => string
}

interface ListFrameProps<Row extends { id: string }> {
  title: string
  lead?: string
  list: ListQuery<Row>
  /** The figures and counts beside the list. */
  summary?: { refetch: () => Promise<unknown> }
  counters: ReactNode
  filters: ReactNode
  search?: Search | undefined
  /** Ways on that stand beside the filters. */
  aside?: ReactNode
  filtered: boolean
  /** What is said of a list of what can be decided now once it is empty. */
  done?: string | undefined
  failed: string
  empty: Emptiness
  card: (row: Row) => ReactNode
  dense?: Dense<Row>
  /** What can be done about a row. */
  work?: Pick<RowWork<Row>, 'acts' | 'actions' | 'dialog'> | undefined
  selection?: Selection<Row> | undefined
  /** What the selected rows can go through together. */
  bulk?: ReactNode
}

/** A list of the back office: its title and age, counters, filters, rows, and each of a list's four states. */
export function ListFrame<Row extends { id: string }>(props: ListFrameProps<Row>) {
  const {
    title,
    lead,
    list,
    summary,
    counters,
    filters,
    search,
    aside,
    filtered,
    done,
    failed,
    empty,
    dense,
  } = props
  const rows = rowsOf(list.data?.pages)
  const wide = useWide()
  const chosen = useChosenColumns()
  const columns = dense ? columnsOf(dense.columns, chosen) : []
  const views =
    dense && wide ? (
      <div className="ml-auto flex min-h-8 shrink-0 gap-2 md:order-2">
        <Suspense>
          <QueueViews all={dense.columns} shown={columns.map(({ key }) => key)} />
        </Suspense>
      </div>
    ) : null
  return (
    <>
      <PageHead title={title} lead={lead} actions={<Freshness of={list} beside={summary} />} />
      {counters}
      <div className="my-4 flex flex-wrap items-end justify-between gap-x-4 gap-y-3 lg:[&_:is(input,select)]:text-dense lg:[&_label[for$=-search]]:sr-only">
        {filters ? (
          <FilterFold className="md:contents" search={search} beside={views}>
            {filters}
          </FilterFold>
        ) : (
          views
        )}
        {aside ? (
          <div className={cn('flex flex-wrap items-end gap-4', asidePlace(filters, views))}>{aside}</div>
        ) : null}
      </div>
      {list.error ? (
        <Failed className="mb-4" title={failed} error={list.error} retry={() => readAnew(list, summary)} />
      ) : null}
      {list.isPending ? <LoadingRows rows={3} /> : null}
      <Rows
        {...props}
        rows={rows}
        columns={columns}
        fixed={chosen !== undefined}
        wide={wide}
        none={list.data ? <Empty empty={empty} filtered={filtered} done={done} /> : null}
      />
      <MoreButton query={list} />
    </>
  )
}

/** Where no filters are, it stands in their place; with views, the search before it takes up the room. */
function asidePlace(filters: ReactNode, views: ReactNode): string {
  if (!filters) return ''
  return views ? 'md:order-2' : 'ml-auto md:order-2'
}

function Empty({ empty, filtered, done }: { empty: Emptiness; filtered: boolean; done: string | undefined }) {
  return (
    <div className="rounded-lg border bg-card">
      {done ? (
        <NothingYet icon={empty.icon} title={done} />
      ) : filtered ? (
        <NothingFound title={empty.title} hint={empty.filteredHint} />
      ) : (
        <NothingYet
          icon={empty.icon}
          title={empty.title}
          {...(empty.firstHint ? { hint: empty.firstHint } : {})}
        />
      )}
    </div>
  )
}

interface RowsProps<Row extends { id: string }>
  extends Pick<ListFrameProps<Row>, 'title' | 'card' | 'dense' | 'work' | 'selection' | 'bulk'> {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  fixed: boolean
  wide: boolean
  /** What stands where there are no rows. */
  none?: ReactNode
  /** A second list of its page, whose keys the first one names. */
  second?: boolean
}

interface KeyedRowsProps<Row> {
  rows: readonly Row[]
  acts?: readonly RowAct<Row>[] | undefined
  selection?: Selection<Row> | undefined
  bulk?: ReactNode
  second?: boolean | undefined
  /** Each row an element with `data-row`, in it what opens it with `data-open`. */
  children: ReactNode
}

/** A list's rows with the keys that every list has, which are named above them. */
export function KeyedRows<Row extends { id: string | number }>(props: KeyedRowsProps<Row>) {
  const { rows, acts = [], selection, bulk, second, children } = props
  const list = useRef<HTMLDivElement>(null)
  const { all, help } = useQueueKeys({ list, rows, acts, selection })
  useKeptRow(list, rows)
  const first = all.filter(({ key }) => ['j', 'k', 'Enter', '?'].includes(key))
  return (
    <>
      {rows.length > 0 && !second ? (
        <div
          className={cn(
            'mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 md:min-h-8',
            !bulk && 'max-md:hidden',
          )}
        >
          <KeyLegend shortcuts={first} />
          {bulk}
        </div>
      ) : null}
      <div ref={list} data-queue tabIndex={-1} className="outline-none">
        {children}
      </div>
      {help}
    </>
  )
}

/** The rows, as a table where there is room for it, and the keys that act on them. */
export function Rows<Row extends { id: string }>(props: RowsProps<Row>) {
  const { title, rows, columns, fixed, wide, none, second, card, dense, work, selection, bulk } = props
  return (
    <>
      <KeyedRows rows={rows} acts={work?.acts} selection={selection} bulk={bulk} second={second}>
        {rows.length === 0 ? (
          none
        ) : dense && wide ? (
          <QueueTable
            caption={title}
            columns={columns}
            fixed={fixed}
            rows={rows}
            nameOf={dense.nameOf}
            actions={work?.actions}
            selection={selection}
          />
        ) : (
          <ul className="grid grid-cols-1 gap-2 *:*:h-full md:gap-4 xl:grid-cols-2">
            {rows.map((row) => (
              <li key={row.id} data-row={row.id}>
                {card(row)}
              </li>
            ))}
          </ul>
        )}
      </KeyedRows>
      {work?.dialog}
    </>
  )
}

/**
 * Keeps the focus: when the focused row leaves the list, the row in its place is focused. Any other change of
 * the list moves no focus.
 */
function useKeptRow(list: { current: HTMLElement | null }, rows: readonly { id: string | number }[]) {
  const last = useRef<{ id: string; below: Element[] } | undefined>(undefined)
  useEffect(() => {
    const own = list.current
    const note = (event: FocusEvent) => {
      const row = event.target instanceof Element ? event.target.closest('[data-row]') : null
      if (row) last.current = { id: row.getAttribute('data-row') ?? '', below: rowsBelow(own, row) }
      workOn(own, row)
    }
    own?.addEventListener('focusin', note)
    return () => {
      own?.removeEventListener('focusin', note)
      workOn(null, null)
    }
  }, [list])
  useEffect(() => {
    const was = last.current
    if (!was || document.activeElement !== document.body || rows.some((row) => String(row.id) === was.id))
      return
    if (document.querySelector('[role=dialog]')) return // it sets the focus itself
    const next = entryOf(nextOf(list.current, was.below)) ?? list.current
    next?.focus()
  }, [list, rows])
}

/** What stands beside the selected rows: how many, what they go through, and the way to select none. */
export function SelectionBar({
  n,
  children,
  onClear,
}: {
  n: number
  children: ReactNode
  onClear: () => void
}) {
  if (n === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span role="status" className="text-sm font-medium tabular-nums">
        {queueTexts.selected(String(n))}
      </span>
      {children}
      <button
        type="button"
        onClick={onClear}
        className="min-h-8 rounded-sm px-1 text-sm underline-offset-4 hover:underline"
      >
        {queueTexts.clear}
      </button>
    </div>
  )
}

const strips = { 4: 'lg:grid-cols-4', 5: 'lg:grid-cols-5', 7: 'lg:grid-cols-7' } as const

interface CountersProps {
  figures: readonly (readonly [name: string, figure: ReactNode, hint?: ReactNode])[]
  wide: keyof typeof strips
  label?: string
}

/** The figures above a list: one slim strip where there is room, on a phone lines of text. */
export function Counters({ figures, wide, label }: CountersProps) {
  return (
    <dl
      aria-label={label}
      className={cn(
        'flex flex-wrap gap-x-4 gap-y-0.5 md:grid md:grid-cols-3 md:gap-3 lg:gap-0 lg:divide-x lg:rounded-lg lg:border lg:bg-card',
        'max-md:*:flex max-md:*:items-baseline max-md:*:gap-1.5 max-md:*:border-0 max-md:*:bg-transparent max-md:*:p-0 max-md:*:[container-type:normal]',
        'max-md:**:[dd]:mt-0 max-md:**:[dd]:text-sm',
        // Five or seven figures leave no hole in rows of three.
        wide === 5 && 'md:max-lg:*:last:col-span-2',
        wide === 7 && 'md:max-lg:*:last:col-span-3',
        'lg:*:rounded-none lg:*:border-y-0 lg:*:border-r-0 lg:*:bg-transparent lg:*:px-4 lg:*:py-2.5 lg:*:first:border-l-0',
        strips[wide],
      )}
    >
      {figures.map(([name, figure, hint]) => (
        <Stat key={name} name={name} hint={hint}>
          {figure}
        </Stat>
      ))}
    </dl>
  )
}
