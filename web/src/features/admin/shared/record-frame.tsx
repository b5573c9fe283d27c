import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useLayoutEffect } from 'react'
import { NotFound } from '@/components/layout/not-found'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { buttonVariants } from '@/components/ui/button-variants'
import { cn } from '@/lib/cn'
import { HttpError } from '@/lib/http'
import { BookLinks } from './object-link'
import { Person } from './person'

interface RecordFrameProps<T> {
  query: { data: T | undefined; error: Error | null; refetch: () => Promise<unknown> }
  /** The default title while the record is loading. */
  title: string
  failed: string
  children: (found: T) => ReactNode
}

/** One record of the back office: one that is not there is 404, else it is loading, has failed, or is shown. */
export function RecordFrame<T>({ query, title, failed, children }: RecordFrameProps<T>) {
  if (query.error instanceof HttpError && query.error.status === 404) return <NotFound />
  if (query.data !== undefined) return <>{children(query.data)}</>
  return (
    <>
      <Beginning title={title} />
      {query.error ? (
        <Failed title={failed} error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingRows rows={3} />
      )}
    </>
  )
}

/** The heading until the record is there, whose own then has the focus in its place. */
function Beginning({ title }: { title: string }) {
  useLayoutEffect(
    () => () => {
      if (document.activeElement?.tagName === 'H1')
        queueMicrotask(() => document.querySelector('h1')?.focus({ preventScroll: true }))
    },
    [],
  )
  return <PageHead title={title} />
}

interface RecordHeadProps {
  title: ReactNode
  lead: ReactNode
  look: StatusLook
  /** The list it is from. */
  list: { to: string; title: string; search?: object }
}

/** A record's title with how it stands, and the way back to its list. */
export function RecordHead({ title, lead, look, list }: RecordHeadProps) {
  return (
    <PageHead
      title={title}
      lead={lead}
      status={<StatusBadge look={look} />}
      actions={
        <Link
          to={list.to}
          search={list.search ?? {}}
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          <ArrowLeft aria-hidden />
          {list.title}
        </Link>
      }
    />
  )
}

interface StacksProps {
  /** The first stack is the wider one. */
  leading?: boolean
  children: ReactNode
}

/** Two stacks of cards side by side where there is room: no card waits for the height of its neighbour. */
export function Stacks({ leading, children }: StacksProps) {
  return (
    <div
      className={cn(
        'grid items-start gap-6',
        leading ? 'xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]' : 'xl:grid-cols-2',
      )}
    >
      {children}
    </div>
  )
}

export function Stack({ children }: { children: ReactNode }) {
  return <div className="min-w-0 space-y-6">{children}</div>
}

/** Whose a record is: its reference and its customer. */
export function RecordLead({
  record,
}: {
  record: { id: string; reference: string; customerName: string; customerEmail: string }
}) {
  return (
    <>
      <span className="font-mono">{record.reference}</span> ·{' '}
      <Person name={record.customerName || record.customerEmail} />
      <BookLinks id={record.id} />
    </>
  )
}
