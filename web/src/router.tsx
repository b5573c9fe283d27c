import { onlineManager, type Query, QueryClient } from '@tanstack/react-query'
import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { Crashed } from './components/layout/crashed'
import { NotFound } from './components/layout/not-found'
import { connection, onAnswering, onConnection } from './lib/connection'
import { HttpError } from './lib/http'
import { parseSearch, stringifySearch } from './lib/search'
import type { routeTree } from './routeTree.gen'

/** Every page of the app, as the router has them. */
export type RouteTree = typeof routeTree

/**
 * specification §7's data loading: never stale, no automatic retry, no refetch on window focus. While the
 * server is unreachable the queries wait with their data, and all that is on screen is read again afterwards;
 * where a single call got no answer, that alone. Writes are tried at once and fail at once: none is sent later.
 */
export function createQueryClient(): QueryClient {
  onlineManager.setEventListener((setOnline) => onConnection(() => setOnline(!connection().lost)))
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  // 502 to 504: a proxy may have answered in the server's place.
  const unanswered = ({ state: { error } }: Query) =>
    error !== null && !(error instanceof HttpError && error.status < 502)
  onAnswering(() => {
    void client.refetchQueries({ type: 'active', predicate: unanswered }, { cancelRefetch: false })
  })
  return client
}

/** The routes of this person: a visitor's (visitor-routes.ts) or all (routeTree.gen.ts). */
export function createAppRouter(routeTree: RouteTree, queryClient: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Crashed,
    ...(history ? { history } : {}),
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
