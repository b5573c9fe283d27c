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

/** A visitor's page as HTML, from the same components, which the browser then finds there and brings to life (main.tsx). */
export async function renderView(path: string, mode: Config['mode']): Promise<string> {
  const queryClient = createQueryClient()
  queryClient.setQueryData(userQuery.queryKey, null)
  queryClient.setQueryData(configQuery.queryKey, toBeFilledIn(mode))
  const router = createAppRouter(
    visitorRoutes(),
    queryClient,
    createMemoryHistory({ initialEntries: [path] }),
  )
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

/** React and the router add inline scripts for streaming; nothing streams here, and the page's policy forbids them. */
function withoutScripts(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '').replace(/<link\b[^>]*>/g, '')
}
