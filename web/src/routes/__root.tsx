import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet, useLocation } from '@tanstack/react-router'
import { useNavigationFocus } from '@/components/layout/focus'
import { Footer, Footers, VisitorFooter } from '@/components/layout/footer'
import { AccountHeader, Header } from '@/components/layout/header'
import { LazyConnection } from '@/components/layout/lazy-connection'
import { LazyGate } from '@/components/layout/lazy-gate'
import { LazyToaster } from '@/components/layout/lazy-toaster'
import { useLiveUpdates } from '@/lib/live-updates'
import { useConfig, userQuery, useUser } from '@/lib/session'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  loader: async ({ context }) => {
    if (!context.queryClient.getQueryData(userQuery.queryKey)) {
      void VisitorFooter.preload?.()
      return
    }
    await Promise.all([AccountHeader.preload?.(), Footers.preload?.()])
  },
  staleTime: Number.POSITIVE_INFINITY,
  component: Root,
})

function Root() {
  const user = useUser()
  const { brand } = useConfig()
  const owes = user?.needs2FA === true && !user.twoFactorVerified
  useLiveUpdates(useQueryClient(), user !== null && !owes, user?.id)
  useNavigationFocus(brand, user !== null)
  const backOffice =
    useLocation({ select: (location) => location.pathname.startsWith('/admin') }) && user?.isAdmin
  return (
    <div className="flex min-h-dvh flex-col">
      {backOffice ? <LazyConnection /> : <Header />}
      {backOffice && !owes ? (
        // Its main is what stands beside the sidebar and below the top bar (features/admin/shell).
        <div className="flex flex-1 flex-col">
          <Outlet />
        </div>
      ) : (
        <main id="main" tabIndex={-1} className="flex flex-1 flex-col outline-none">
          {owes ? <LazyGate /> : <Outlet />}
        </main>
      )}
      {backOffice ? null : <Footer />}
      {user?.consentDue && !backOffice && <LazyGate />}
      <LazyToaster wanted={user !== null} />
    </div>
  )
}
