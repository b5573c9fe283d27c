import { infiniteQueryOptions, keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import { type ListPage, toPage } from '@/lib/paging'

/** specification §9: the back office polls every 15 s; events make it sooner. */
const POLL_MS = 15_000

/** A filtered list, a page at a time. */
export function pagedQuery<Row, Filter extends object>(
  queryKey: QueryKey,
  filter: Filter,
  read: (
    query: Filter & { cursor?: string },
    signal: AbortSignal,
  ) => Promise<{ data: Row[] | null; response: Response }>,
) {
  return infiniteQueryOptions({
    queryKey: [...queryKey, filter],
    queryFn: async ({ pageParam, signal }): Promise<ListPage<Row>> =>
      toPage(await read(pageParam ? { ...filter, cursor: pageParam } : filter, signal)),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

/** A summary, or one record. */
export function polledQuery<T>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<{ data: T }>,
  whileLoading: { keep?: boolean } = {},
) {
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => (await read(signal)).data,
    ...(whileLoading.keep ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}
