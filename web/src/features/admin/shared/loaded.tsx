import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failed, LoadingRows } from '@/components/states/states'

interface LoadedProps<T> {
  query: UseQueryResult<T>
  failed: string
  children: (data: NonNullable<T>) => ReactNode
}

/** Loading, failed, or there. */
export function Loaded<T>({ query, failed, children }: LoadedProps<T>) {
  if (query.error && !query.data)
    return <Failed title={failed} error={query.error} retry={() => void query.refetch()} />
  if (query.data === undefined || query.data === null) return <LoadingRows rows={4} />
  return <>{children(query.data as NonNullable<T>)}</>
}
