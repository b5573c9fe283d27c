import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { renderToStaticMarkup } from 'react-dom/server'
import { prerender } from 'react-dom/static'
import type { Claims } from './api/types.gen'
import { type Config, configQuery, defaultConfig, type User, userQuery } from './lib/session'
import { createAppRouter, createQueryClient } from './router'
import { routeTree } from './routeTree.gen'

export { language } from './messages/locale'
export { descriptions, narrowed, noScripts } from './messages/pages'
export { pages } from './pages'

/** What shows in a visitor's page which kind of house it is of: the view is made for each. */
export const modes = ['production', 'local'] as const

/** What only the server knows stands in the first view as {{name}}; api/first_view.go puts the value there. */
function toBeFilledIn(mode: Config['mode']): Config {
  const claims = Object.fromEntries(
    Object.entries(defaultConfig.claims).map(([name, value]) => [
      name,
      value === null ? null : `{{${name}}}`,
    ]),
  )
  return {
    ...defaultConfig,
    mode,
    brand: '{{brand}}',
    supportEmail: '{{supportEmail}}',
    claims: claims as unknown as Claims,
  }
}

/** How far somebody's identity is: outlines differ by it. */
export const identities: User['kycStatus'][] = ['not_started', 'pending', 'verified', 'rejected']

/** Somebody of whom no more is known yet than what they are called, and how far their identity is. */
const somebody: User = {
  id: '',
  email: '{{email}}',
  emailVerified: true,
  firstName: '{{name}}',
  lastName: '',
  profileImageUrl: null,
  country: '',
  isAdmin: false,
  roles: [],
  permissions: [],
  accountBalance: '0.00',
  kycStatus: 'not_started',
  kycLevel: 'none',
  volumeTier: '',
  needs2FA: false,
  twoFactorEnabled: false,
  twoFactorVerified: false,
}

/** All routes, for visitors too: to what a page shows, the two trees are alike (visitor-routes.ts). */
async function pageAt(path: string, mode: Config['mode'], user: User | null) {
  const queryClient = createQueryClient()
  queryClient.setQueryData(userQuery.queryKey, user)
  queryClient.setQueryData(configQuery.queryKey, toBeFilledIn(mode))
  const history = createMemoryHistory({ initialEntries: [path] })
  const router = createAppRouter(routeTree, queryClient, history)
  await router.load()
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}

/** A visitor's page as HTML, from the same components, which the browser then finds there and brings to life (main.tsx). */
export async function renderView(path: string, mode: Config['mode']): Promise<string> {
  const { prelude } = await prerender(
    await pageAt(path, mode, null),
    // In one piece: React would send what is long after the rest, hidden, for a script to put in its place.
    { progressiveChunkSize: Number.POSITIVE_INFINITY },
  )
  return withoutScripts(await new Response(prelude as ReadableStream).text())
}

/**
 * A page of somebody signed in, as it looks before anything of theirs is known: the browser renders it anew and takes its
 * place. Until then its links lead where they say, figures stay unseen (app.css), and nothing can be typed that would be
 * lost.
 */
export async function renderOutline(
  path: string,
  mode: Config['mode'],
  kycStatus: User['kycStatus'],
): Promise<string> {
  const page = renderToStaticMarkup(await pageAt(path, mode, { ...somebody, kycStatus }))
  const still = withoutScripts(page).replace(
    /<(?=(?:input|select|textarea|button)\b)(\w+)/g,
    '<$1 disabled=""',
  )
  return `<div data-outline>${still}</div>`
}

/** React and the router add inline scripts for streaming; nothing streams here, and the page's policy forbids them. */
function withoutScripts(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '').replace(/<link\b[^>]*>/g, '')
}
