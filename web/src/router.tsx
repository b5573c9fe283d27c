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
 * specification §7's data loading: never stale, no automatic retry, no refetch on window focus. While nothing answers
 * the queries
 * wait with what they have, and all that is on screen is read anew when something does. What a person sends is tried at
 * once and refused at once: nothing is sent behind their back later.
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
