import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Stat } from '@/components/money/money'
import { Failed, LoadingRows, NothingFound, NothingYet } from '@/components/states/states'
import { cn } from '@/lib/cn'
import { type ListPage, rowsOf } from '@/lib/paging'
import { records as texts } from '@/messages/admin-records'
import { Freshness, readAnew } from './freshness'
import { KeyLegend, type Shortcut, useKeys } from './keys'

export interface ListQuery<Row> {
  data: { pages: ListPage<Row>[] } | undefined
  error: Error | null
  isPending: boolean
  isSuccess: boolean
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

interface ListFrameProps<Row extends { id: string }> {
  title: string
  lead?: string
  list: ListQuery<Row>
  /** The figures and counts beside the list. */
  summary?: { refetch: () => Promise<unknown> }
  counters: ReactNode
  filters: ReactNode
  filtered: boolean
  failed: string
  empty: Emptiness
  card: (row: Row) => ReactNode
}

/** A list of the back office: its title and age, counters, filters, cards, and each of a list's four states. */
export function ListFrame<Row extends { id: string }>(props: ListFrameProps<Row>) {
  const { title, lead, list, summary, counters, filters, filtered, failed, empty, card } = props
  const rows = rowsOf(list.data?.pages)
  const cards = useRef<HTMLUListElement>(null)
  const shortcuts = useRowKeys(cards)
  return (
    <>
      <PageHead title={title} lead={lead} actions={<Freshness of={list} beside={summary} />} />
      {counters}
      <div className="my-5 flex flex-wrap items-end justify-between gap-4">{filters}</div>
      {list.error ? (
        <Failed className="mb-4" title={failed} error={list.error} retry={() => readAnew(list, summary)} />
      ) : null}
      {list.isPending ? <LoadingRows rows={3} /> : null}
      {list.isSuccess && rows.length === 0 ? (
        <div className="rounded-lg border bg-card">
          {filtered ? (
            <NothingFound title={empty.title} hint={empty.filteredHint} />
          ) : (
            <NothingYet
              icon={empty.icon}
              title={empty.title}
              {...(empty.firstHint ? { hint: empty.firstHint } : {})}
            />
          )}
        </div>
      ) : null}
      {rows.length > 0 ? (
        <div className="mb-3">
          <KeyLegend shortcuts={[...shortcuts, { key: 'Enter', label: texts.openRow }]} />
        </div>
      ) : null}
      <ul ref={cards} className="grid grid-cols-1 gap-4 *:*:h-full xl:grid-cols-2">
        {rows.map((row) => (
          <li key={row.id}>{card(row)}</li>
        ))}
      </ul>
      <MoreButton query={list} />
    </>
  )
}

/** J and K lead from row to row, each by the first thing in it that can be opened. */
function useRowKeys(list: { current: HTMLUListElement | null }): readonly Shortcut[] {
  const step = (by: number) => () => {
    const rows = [...(list.current?.children ?? [])]
    const at = rows.findIndex((row) => row.contains(document.activeElement))
    const row = rows[at < 0 ? 0 : at + by]
    const way = row?.querySelector<HTMLElement>('[data-open]') ?? row?.querySelector<HTMLElement>('a, button')
    way?.focus()
    row?.scrollIntoView({ block: 'nearest' })
  }
  const shortcuts = [
    { key: 'j', label: texts.next, run: step(1) },
    { key: 'k', label: texts.previous, run: step(-1) },
  ]
  useKeys(shortcuts)
  return shortcuts
}

/** The row of figures above a list. */
export function Counters({
  figures,
  wide,
}: {
  figures: readonly (readonly [string, ReactNode])[]
  wide: 5 | 6
}) {
  return (
    <dl
      className={cn(
        'grid grid-cols-2 gap-2 md:gap-3 lg:grid-cols-3',
        // An odd last figure takes the row rather than leave a hole.
        'max-lg:*:last:odd:col-span-2',
        wide === 6 ? 'xl:grid-cols-6' : 'xl:grid-cols-5',
      )}
    >
      {figures.map(([name, figure]) => (
        <Stat key={name} name={name}>
          {figure}
        </Stat>
      ))}
    </dl>
  )
}
