import { createFileRoute, redirect } from '@tanstack/react-router'
import { OpenScreen } from '@/features/open/open-screen'
import { ownPath } from '@/lib/own-path'
import { userQuery } from '@/lib/session'

export const Route = createFileRoute('/open')({
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    typeof to === 'string' ? { to } : {},
  beforeLoad: ({ context, search }) => {
    const to = ownPath(search.to ?? '/')
    // The server redirects whoever opens the address; this is for who comes back to it within the app.
    if (to && context.queryClient.getQueryData(userQuery.queryKey))
      throw redirect({ href: to, replace: true })
  },
  component: OpenScreen,
})
