import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { records as texts } from '@/messages/admin-records'
import { FilterChips } from './chips'
import { Facts } from './facts'
import { ListFrame } from './list-frame'
import { rowActs } from './queue-cells'

type FrameProps<Row extends { id: string }> = ComponentProps<typeof ListFrame<Row>>

interface QueueProps<Row extends { id: string }, S extends string> {
  title: string
  legend?: string
  failed: string
  empty: string
  icon: LucideIcon
  list: FrameProps<Row>['list']
  summary: { data: { total: number } | undefined; refetch: () => Promise<unknown> }
  /** A figure that no chip says. */
  lead?: string
  /** The one filter of the list, as it is shown: what can be acted on, unless the address says otherwise. */
  value: S | 'all'
  /** The text once the list's default filter has no rows left. */
  done?: string | undefined
  choices: readonly S[]
  labels: Record<S, string>
  counts: Record<string, number> | undefined
  onChoose: (value: S | 'all') => void
  /** Filters beside that one: chips, what stands beside the search, and whether any of them is set. */
  more?: { chips: ReactNode; beside: ReactNode; set: boolean }
  /** The search text of the address; left out where nothing is searched. */
  search?: { id: string; value: string | undefined; onChange: (q: string | undefined) => void }
  card: (row: Row) => ReactNode
  dense: NonNullable<FrameProps<Row>['dense']>
  work: NonNullable<FrameProps<Row>['work']>
}

/** A list that is worked through by how its rows stand: a chip with its count for each standing, rows. */
export function Queue<Row extends { id: string }, S extends string>(props: QueueProps<Row, S>) {
  const { title, legend, lead, failed, empty, icon, list, summary, card, dense, work } = props
  const { value, done, choices, labels, counts, onChoose, more, search } = props
  return (
    <ListFrame
      title={title}
      list={list}
      summary={summary}
      {...(lead ? { lead } : {})}
      counters={null}
      filters={
        <>
          <FilterChips
            legend={legend ?? texts.statusFilter}
            value={value === 'all' ? undefined : value}
            all={{ label: texts.all, count: summary.data?.total }}
            choices={choices}
            labels={labels}
            counts={(choice) => counts?.[choice]}
            onChoose={(choice) => onChoose(choice ?? 'all')}
          />
          {more?.chips}
          {more?.beside}
        </>
      }
      search={
        search && {
          ...search,
          name: 'q',
          label: texts.search,
          placeholder: texts.searchPlaceholder,
          className: 'md:w-64',
        }
      }
      filtered={value !== 'all' || Boolean(search?.value || more?.set)}
      done={more?.set ? undefined : done}
      failed={failed}
      empty={{ title: empty, filteredHint: texts.emptyFiltered, icon }}
      card={card}
      dense={dense}
      work={work}
    />
  )
}

interface QueueCardProps {
  /** What the row is called by those who do not see it. */
  name: string
  title: ReactNode
  code: ReactNode
  look: StatusLook
  /** Between the title and the facts. */
  text?: ReactNode
  facts: ReactNode
  /** The way to the whole of it. */
  open: ReactNode
  underWay?: boolean
}

/** One row of a queue. */
export function QueueCard({ name, title, code, look, text, facts, open, underWay }: QueueCardProps) {
  return (
    <article
      aria-label={name}
      className="flex flex-col rounded-lg border bg-card p-4 has-[a:focus-visible]:border-primary has-[a:focus-visible]:ring-1 has-[a:focus-visible]:ring-primary"
    >
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base wrap-anywhere">{title}</h2>
          <p className="text-xs text-muted-foreground wrap-anywhere">{code}</p>
        </div>
        <StatusBadge look={look} />
      </div>
      {text}
      <Facts>{facts}</Facts>
      <div className={rowActs}>
        {open}
        {underWay ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
    </article>
  )
}

/** What stands on the link to the whole of a row. */
export function OpenText({ name }: { name: string }) {
  return (
    <>
      {texts.open}
      <span className="sr-only"> {name}</span>
    </>
  )
}
