import { useEffect, useRef } from 'react'
import { rowsOf } from '@/lib/paging'
import type { ListQuery } from './list-frame'

/** Where a record stands in the list that it was opened from. */
export interface Neighbours {
  previous: string | undefined
  next: string | undefined
  /** From 1; 0 for one that the list does not hold. */
  place: number
  total: number
}

/**
 * The records before and after a record. The next one takes the place of a record that a decision removed
 * from the list.
 */
export function useNeighbours<Row extends { id: string }>(list: ListQuery<Row>, id: string): Neighbours {
  const rows = rowsOf(list.data?.pages)
  const last = useRef(-1)
  const at = rows.findIndex((row) => row.id === id)
  const { hasNextPage, fetchNextPage } = list
  const atEnd = at >= 0 && at === rows.length - 1
  useEffect(() => {
    if (at >= 0) last.current = at
  }, [at])
  useEffect(() => {
    if (atEnd && hasNextPage) void fetchNextPage()
  }, [atEnd, hasNextPage, fetchNextPage])
  const left = last.current
  return {
    previous: rows[at >= 0 ? at - 1 : left - 1]?.id,
    next: rows[at >= 0 ? at + 1 : Math.max(left, 0)]?.id,
    place: at + 1,
    total: list.data?.pages[0]?.total ?? rows.length,
  }
}
