import type { QueueView } from './queue-view'

/** What an address says of a list beside its filters. */
const noFilters: readonly string[] = ['cols', 'open']

/** How many of a list's filters are set beside its search; "all" narrows nothing. */
export function filtersSet(search: object, searched?: string): number {
  const set = Object.entries(search).filter(
    ([name, value]) =>
      !noFilters.includes(name) && name !== searched && value !== undefined && value !== 'all',
  )
  return set.length
}

/** A filter without what only its page needs. */
export function asked<F extends QueueView>({ cols: _, ...filter }: F): Omit<F, 'cols'> {
  return filter
}

/** The status a queue shows: without one in the address, the actionable rows; a search covers all. */
export function shownStatus<S extends string, W extends string>(
  status: S | undefined,
  q: string | undefined,
  waiting: W,
): S | W | 'all' {
  return status ?? (q ? 'all' : waiting)
}

/** Whether the list shows what can be decided now: its address names no status. */
export const opensOnWork = ({ status, q }: { status?: string | undefined; q?: string | undefined }) =>
  !status && !q

/** The status of a queue's address that is one of its own, for a chip. */
export const chipOf = <S extends string>(status: S | 'all'): S | undefined =>
  status === 'all' ? undefined : (status as S)
