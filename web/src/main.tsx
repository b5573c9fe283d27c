import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { watchNetwork } from './lib/connection'
import { setUnauthorizedListener } from './lib/http'
import { LOGIN_DELAY_MS, loginHref } from './lib/login'
import { mendMissingChunks } from './lib/releases'
import { loadSession } from './lib/session'
import { announce } from './lib/sessions'
import { leaveToasts, toast } from './lib/toast'
import { common } from './messages/common'
import { createAppRouter, createQueryClient } from './router'
import { visitorRoutes } from './visitor-routes'
import './styles/app.css'

/**
 * The session ended while in the app: the specification's toast, then the login, which returns to this page.
 */
function leaveOnLostSession(): void {
  let leaving = false
  setUnauthorizedListener(() => {
    if (leaving) return
    leaving = true
    toast({ title: common.unauthorized, description: common.loggedOut, variant: 'destructive', last: true })
    const here = window.location.pathname + window.location.search
    setTimeout(() => window.location.assign(loginHref({ returnTo: here })), LOGIN_DELAY_MS)
  })
  // Back from the login, out of the browser's memory: it can be lost again.
  window.addEventListener('pageshow', () => {
    leaving = false
  })
}

/** Notifies the page's opening script (scripts/opening.js) that the page has replaced its outline. */
function Live({ children }: { children: ReactNode }) {
  useEffect(() => {
    const idle = 'requestIdleCallback' in window ? window.requestIdleCallback : setTimeout
    idle(() => document.dispatchEvent(new Event('live')))
  }, [])
  return <>{children}</>
}

/**
 * A reader who has scrolled what came with the page stays there: the router would start at the top. In place of an
 * outline, the router itself restores the position of a page that was reloaded or has a fragment.
 */
function keepPosition(router: ReturnType<typeof createAppRouter>, prerendered: boolean): void {
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const stays = prerendered || (visit?.type === 'navigate' && !location.hash)
  router.options.scrollRestoration = () => {
    router.options.scrollRestoration = true
    return scrollY === 0 || !stays
  }
}

// A key in untrusted data that reaches Object.prototype adds nothing there.
Object.preventExtensions(Object.prototype)

async function start(): Promise<void> {
  // The scripts are inserted once something is painted (scripts/opening.js), which may be before all of the page has come.
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve))
  const container = document.getElementById('root')
  if (!container) throw new Error('index.html has no #root')
  mendMissingChunks()
  watchNetwork()
  const queryClient = createQueryClient()
  const { user } = await loadSession(queryClient)
  leaveOnLostSession()
  if (/^#(address|confirm)=/.test(location.hash))
    (await import('./features/confirm/mailed-link')).takeMailedLink(user?.id ?? '')
  announce(user?.id ?? '')
  if (user) (await import('./lib/claim')).claim(user)
  const routeTree = user ? (await import('./routeTree.gen')).routeTree : visitorRoutes()
  const router = createAppRouter(routeTree, queryClient)
  router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && leaveToasts())
  await router.load()
  const app = (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Live>
          <RouterProvider router={router} />
        </Live>
      </QueryClientProvider>
    </StrictMode>
  )
  const prerendered = !user && container.firstElementChild !== null
  keepPosition(router, prerendered)
  // As a transition, React does its work in small pieces, between which the page answers.
  startTransition(() => {
    if (prerendered) {
      // The first view came with the page (prerender.tsx): it stays, with what was opened, typed and focused in it.
      router.ssr = { manifest: undefined }
      hydrateRoot(container, app)
    } else createRoot(container).render(app)
  })
}

void start()
