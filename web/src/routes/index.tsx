import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { userQuery, useUser } from '@/lib/session'

const Landing = lazyRouteComponent(() => import('@/features/landing/landing'), 'Landing')
const Dashboard = lazyRouteComponent(() => import('@/features/dashboard/dashboard'), 'Dashboard')

export const Route = createFileRoute('/')({
  loader: async ({ context }) => {
    const user = context.queryClient.getQueryData(userQuery.queryKey)
    await (user ? Dashboard : Landing).preload?.()
  },
  component: Index,
})

function Index() {
  return useUser() ? <Dashboard /> : <Landing />
}
