import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { renderToStaticMarkup } from 'react-dom/server'
import { prerender } from 'react-dom/static'
import type { Claims } from './api/types.gen'
import { legalQuery } from './features/legal/queries'
import { type Config, configQuery, defaultConfig, type User, userQuery } from './lib/session'
import { methodLabels } from './messages/common'
import { createAppRouter, createQueryClient } from './router'
import { routeTree } from './routeTree.gen'

export { language } from './messages/locale'
export { descriptions, narrowed, noScripts, skipToContent } from './messages/pages'
export { pages } from './pages'

/** The settings of an installation that change a visitor's page: the view is rendered for each. */
export const modes = ['production', 'local', 'production-cashless', 'local-cashless'] as const

type Mode = (typeof modes)[number]

/** Cash is disabled until staff enable it; api/site/first_view.go chooses. */
const withoutCash = [...Object.keys(methodLabels), 'gift_card', 'voucher'].filter((rail) => rail !== 'cash')

/** Values of the server stand in the first view as {{name}}; api/first_view.go replaces them. */
function toBeFilledIn(mode: Mode): Config {
  const claims = Object.fromEntries(
    Object.entries(defaultConfig.claims).map(([name, value]) => [
      name,
      value === null ? null : `{{${name}}}`,
    ]),
  )
  return {
    ...defaultConfig,
    mode: mode.startsWith('local') ? 'local' : 'production',
    offer: mode.endsWith('-cashless') ? { ...defaultConfig.offer, rails: withoutCash } : defaultConfig.offer,
    brand: '{{brand}}',
    supportEmail: '{{supportEmail}}',
    imprint: '{{imprint}}',
    legal: [{ document: 'legalDocument', title: '{{legalTitle}}' }],
    claims: claims as unknown as Claims,
  }
}

/** The state of a person's identity: outlines differ by it. */
export const identities: User['kycStatus'][] = ['not_started', 'pending', 'verified', 'rejected']

/** A person of whom only the name and the state of their identity are known. */
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
async function pageAt(path: string, mode: Mode, user: User | null) {
  const queryClient = createQueryClient()
  queryClient.setQueryData(userQuery.queryKey, user)
  queryClient.setQueryData(configQuery.queryKey, toBeFilledIn(mode))
  for (const document of ['terms', 'privacy', 'about', '{document}'])
    queryClient.setQueryData(legalQuery(document).queryKey, { html: '{{legal}}' })
  const history = createMemoryHistory({ initialEntries: [path] })
  const router = createAppRouter(routeTree, queryClient, history)
  await router.load()
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}

/** A visitor's page as HTML, from the same components, which the browser then hydrates (main.tsx). */
export async function renderView(path: string, mode: Mode): Promise<string> {
  const { prelude } = await prerender(
    await pageAt(path, mode, null),
    // In one piece: React would send what is long after the rest, hidden, for a script to put in its place.
    { progressiveChunkSize: Number.POSITIVE_INFINITY },
  )
  return withoutScripts(await new Response(prelude as ReadableStream).text())
}

/**
 * A signed-in person's page before any of their data is loaded: the browser renders it anew and replaces it.
 * Until then its links work, figures are hidden (app.css), and no field accepts input that would be lost.
 */
export async function renderOutline(path: string, mode: Mode, kycStatus: User['kycStatus']): Promise<string> {
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
