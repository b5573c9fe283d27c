import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type LucideIcon, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ListPage, rowsOf } from '@/lib/paging'
import { MoreButton } from '../form/more-button'
import { Failed, LoadingRows, NothingYet } from '../states/states'
import { StatusBadge } from '../status/badge'
import type { StatusLook } from '../status/status'
import { Time } from '../status/time'
import { buttonVariants } from '../ui/button-variants'
import { Card } from '../ui/card'
import { Page } from './page'

interface RecordsPageProps<T> {
  query: UseInfiniteQueryResult<InfiniteData<ListPage<T>>>
  title: string
  lead: string
  failed: string
  /** Where a further one is made: a card of the dashboard. */
  make: { hash: string; title: string }
  empty: { icon: LucideIcon; title: string; hint: string }
  /** What stands above them all. */
  notice?: ReactNode
  children: (row: T) => ReactNode
}

/** A customer's records of one kind, newest first: loading, failed, none yet, or shown. */
export function RecordsPage<T extends { id: string }>(props: RecordsPageProps<T>) {
  const { query, title, lead, failed, make, empty, notice, children } = props
  const rows = rowsOf(query.data?.pages)
  const isEmpty = query.data !== undefined && rows.length === 0
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        isEmpty ? null : (
          <Link to="/dashboard" hash={make.hash} className={buttonVariants()}>
            <Plus aria-hidden />
            {make.title}
          </Link>
        )
      }
    >
      {notice}
      {query.error ? (
        <Failed className="mb-4" title={failed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={3} /> : null}
      {isEmpty ? (
        <Card>
          <NothingYet
            icon={empty.icon}
            title={empty.title}
            hint={empty.hint}
            action={
              <Link to="/dashboard" hash={make.hash} className={buttonVariants()}>
                {make.title}
              </Link>
            }
          />
        </Card>
      ) : null}
      <ul className="space-y-4">
        {rows.map((row) => (
          <li key={row.id}>{children(row)}</li>
        ))}
      </ul>
      <MoreButton query={query} />
    </Page>
  )
}

interface RecordRowProps {
  /** Leads to its page. */
  heading: ReactNode
  of: { reference: string; createdAt: string }
  look: StatusLook
  children: ReactNode
}

/** One of them: what it is, its reference and age, where it stands, and what it brings. */
export function RecordRow({ heading, of, look, children }: RecordRowProps) {
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg">{heading}</h2>
          <p className="text-sm text-muted-foreground">
            <span className="whitespace-nowrap">{of.reference}</span> · <Time at={of.createdAt} />
          </p>
        </div>
        <StatusBadge look={look} />
      </div>
      <div className="mt-4 border-t pt-4">{children}</div>
    </Card>
  )
}
