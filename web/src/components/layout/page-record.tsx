import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { HttpError } from '@/lib/http'
import { Failed, LoadingRows } from '../states/states'
import { buttonVariants } from '../ui/button-variants'
import { NotFound } from './not-found'
import { Page } from './page'

interface RecordPageProps<T> {
  query: { data: T | undefined; error: Error | null; isPending: boolean; refetch: () => Promise<unknown> }
  /** Of what is found, or until it is. */
  title: (found: T | undefined) => string
  /** Where it stands, beside its name. */
  status: (found: T) => ReactNode
  failed: string
  /** The list it is from. */
  back: { to: string; title: string }
  /** What stands above it. */
  notice?: ReactNode
  children: (found: T) => ReactNode
}

/** One record of a customer: a missing one is 404, else it is loading, has failed, or is shown. */
export function RecordPage<T extends { reference: string }>(props: RecordPageProps<T>) {
  const { query, title, status, failed, back, notice, children } = props
  if (query.error instanceof HttpError && query.error.status === 404) return <NotFound />
  const { data } = query
  return (
    <Page
      title={title(data)}
      status={data ? status(data) : null}
      lead={data?.reference}
      actions={
        <Link to={back.to} className={buttonVariants({ variant: 'outline' })}>
          <ArrowLeft aria-hidden />
          {back.title}
        </Link>
      }
    >
      {notice}
      {data ? children(data) : null}
      {!data && query.error ? (
        <Failed title={failed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
    </Page>
  )
}
