import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { userQuery, useUser } from '@/lib/session'

const Landing = lazyRouteComponent(() => import('@/features/landing/landing'), 'Landing')
const Dashboard = lazyRouteComponent(() => import('@/features/dashboard/dashboard'), 'Dashboard')

/** Not before the first paint: the page came with its HTML. */
async function preloadBelow(): Promise<void> {
  if (globalThis.document?.getElementById('features')) return
  await (await import('@/features/landing/landing')).Below.preload?.()
}

export const Route = createFileRoute('/')({
  loader: async ({ context }) => {
    const user = context.queryClient.getQueryData(userQuery.queryKey)
    await (user ? Dashboard : Landing).preload?.()
    if (!user) await preloadBelow()
  },
  component: Index,
})

function Index() {
  return useUser() ? <Dashboard /> : <Landing />
}
