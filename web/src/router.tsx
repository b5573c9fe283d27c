import { onlineManager, QueryClient } from '@tanstack/react-query'
import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { Crashed } from './components/layout/crashed'
import { NotFound } from './components/layout/not-found'
import { connection, onConnection } from './lib/connection'
import { parseSearch, stringifySearch } from './lib/search'
import type { routeTree } from './routeTree.gen'

/** Every page of the app, as the router has them. */
export type RouteTree = typeof routeTree

/**
 * specification §7's data loading: never stale, no automatic retry, no refetch on window focus. While the
 * server is unreachable the queries wait with their data, and all that is on screen is read again afterwards.
 * Writes are tried at once and fail at once: none is sent later.
 */
export function createQueryClient(): QueryClient {
  onlineManager.setEventListener((setOnline) => onConnection(() => setOnline(!connection().lost)))
  return new QueryClient({
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
