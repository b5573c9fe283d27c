import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { prerender } from 'react-dom/static'
import type { Claims } from './api/types.gen'
import { type Config, configQuery, defaultConfig, userQuery } from './lib/session'
import { createAppRouter, createQueryClient } from './router'
import { visitorRoutes } from './visitor-routes'

export { language } from './messages/locale'
export { descriptions, noScripts } from './messages/pages'
export { pages } from './pages'

/** What only the server knows stands in the first view as {{name}}; api/site.go puts the value there. */
function toBeFilledIn(): Config {
  const claims = Object.fromEntries(
    Object.entries(defaultConfig.claims).map(([name, value]) => [
      name,
      value === null ? null : `{{${name}}}`,
    ]),
  )
  return {
    ...defaultConfig,
    brand: '{{brand}}',
    supportEmail: '{{supportEmail}}',
    claims: claims as unknown as Claims,
  }
}

/** The signed-out start page as HTML, from the same components; the browser renders it anew, it never hydrates. */
export async function renderLanding(): Promise<string> {
  const queryClient = createQueryClient()
  queryClient.setQueryData(userQuery.queryKey, null)
  queryClient.setQueryData(configQuery.queryKey, toBeFilledIn())
  const router = createAppRouter(visitorRoutes(), queryClient, createMemoryHistory({ initialEntries: ['/'] }))
  await router.load()
  const { prelude } = await prerender(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
    // In one piece: React would send what is long after the rest, hidden, for a script to put in its place.
    { progressiveChunkSize: Number.POSITIVE_INFINITY },
  )
  return withoutScripts(await new Response(prelude as ReadableStream).text())
}

/** React and the router add inline scripts for hydration; there is none here, and the page's policy forbids them. */
function withoutScripts(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '').replace(/<link\b[^>]*>/g, '')
}
