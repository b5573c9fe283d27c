import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Field } from '@/components/form/field'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows, NothingFound } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Input } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import type { ListPage } from '@/lib/paging'
import { books as texts } from '@/messages/admin-books'
import { FilterFold, type Search } from './filter-fold'
import { Freshness } from './freshness'
import { KeyedRows } from './list-frame'

/** The file of what is shown. */
export function ExportLink({ href }: { href: string }) {
  return (
    <a href={href} download className={buttonVariants({ variant: 'outline', size: 'sm' })}>
      <Download aria-hidden />
      <span className="max-md:sr-only">{texts.export}</span>
    </a>
  )
}

interface PeriodProps {
  id: string
  filter: { from?: string | undefined; to?: string | undefined }
  onChange: (period: { from?: string | undefined } | { to?: string | undefined }) => void
}

/** The first and the last day (UTC) of what is shown. */
export function Period({ id, filter, onChange }: PeriodProps) {
  return (
    <>
      <Field id={`${id}-from`} label={texts.from}>
        {(field) => (
          <Input
            {...field}
            type="date"
            max={filter.to}
            value={filter.from ?? ''}
            onChange={(event) => onChange({ from: event.target.value || undefined })}
          />
        )}
      </Field>
      <Field id={`${id}-to`} label={texts.to}>
        {(field) => (
          <Input
            {...field}
            type="date"
            min={filter.from}
            value={filter.to ?? ''}
            onChange={(event) => onChange({ to: event.target.value || undefined })}
          />
        )}
      </Field>
    </>
  )
}

interface BookProps<Row> {
  list: {
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
  failed: string
  none: string
  narrowed: boolean
  onClear: () => void
  table: (rows: readonly Row[]) => ReactNode
}

/** The lines of a book, with each of a list's four states. */
export function Book<Row extends { id: string | number }>({
  list,
  failed,
  none,
  narrowed,
  onClear,
  table,
}: BookProps<Row>) {
  const rows = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <div className="rounded-lg border bg-card p-4 md:p-5">
      {list.error ? (
        <Failed className="mb-4" title={failed} error={list.error} retry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? <LoadingRows rows={4} /> : null}
      {list.data && rows.length === 0 ? (
        <NothingFound
          title={none}
          {...(narrowed ? { hint: texts.noneHint } : {})}
          action={
            narrowed ? (
              <Button variant="outline" onClick={onClear}>
                {texts.clear}
              </Button>
            ) : null
          }
        />
      ) : null}
      <KeyedRows rows={rows}>{rows.length > 0 ? table(rows) : null}</KeyedRows>
      <MoreButton query={list} />
    </div>
  )
}

interface BookScreenProps<Row> extends BookProps<Row> {
  title: ReactNode
  lead?: string
  /** The figures and choices beside the lines. */
  summary?: { refetch: () => Promise<unknown> }
  actions?: ReactNode
  /** The export of what is shown; left out for admins without the permission. */
  file?: string | undefined
  filters: ReactNode
  search?: Search | undefined
  columns?: 3 | 4
  figures?: ReactNode
}

/** One book: its title, age and file, its filters, its lines. */
export function BookScreen<Row extends { id: string | number }>(props: BookScreenProps<Row>) {
  const { title, lead, summary, actions, file, filters, search, columns = 3, figures, ...book } = props
  return (
    <>
      <PageHead
        title={title}
        lead={lead}
        actions={
          <>
            <Freshness of={book.list} beside={summary} />
            {actions}
            {file ? <ExportLink href={file} /> : null}
          </>
        }
      />
      <div className="mb-4 md:mb-5">
        <FilterFold
          search={search}
          className={cn(
            'items-start gap-3 md:grid md:grid-cols-2 md:*:order-none',
            columns === 4 ? 'lg:grid-cols-4' : 'lg:grid-cols-3',
          )}
        >
          {filters}
        </FilterFold>
      </div>
      {figures}
      <Book {...book} />
    </>
  )
}
