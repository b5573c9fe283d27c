import { Link, lazyRouteComponent } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { loginHref } from '@/lib/login'
import { useConfig, useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { buttonVariants } from '../ui/button-variants'
import { BrandMark } from './brand'
import { LazyConnection } from './lazy-connection'
import { type HeaderEntry, MainNavigation, MobileMenu } from './navigation'

const visitorLinks: readonly HeaderEntry[] = [
  { label: layout.home, to: '/' },
  { label: layout.features, to: '/', hash: 'features' },
  { label: layout.howItWorks, to: '/', hash: 'how-it-works' },
  { label: layout.support, to: '/', hash: 'support' },
]

/** What a signed-in person has in the header; a visitor does not load it. The root's loader has it ready. */
export const AccountHeader = lazyRouteComponent(() => import('./account-header'), 'AccountHeader')

export function Header() {
  const user = useUser()
  const { brand, mode } = useConfig()
  return (
    <header className="sticky top-0 z-40 border-b bg-card print:hidden">
      {mode === 'local' ? (
        <p className="bg-pending-tint px-4 py-1 text-center text-xs text-pending-text">{layout.simulation}</p>
      ) : null}
      <div className="container-page flex h-14 items-center gap-6">
        <Link to="/" className="flex items-center gap-2 rounded-md text-base font-semibold">
          <BrandMark className="size-7" />
          {brand}
        </Link>
        {user ? <AccountHeader user={user} /> : <VisitorHeader />}
      </div>
      <LazyConnection />
    </header>
  )
}

function VisitorHeader() {
  return (
    <>
      <MainNavigation entries={visitorLinks} />
      <div className="ml-auto hidden items-center gap-2 lg:flex">
        <VisitorActions />
      </div>
      <MobileMenu entries={visitorLinks} ends={<VisitorActions className="flex-1" />} />
    </>
  )
}

function VisitorActions({ className }: { className?: string }) {
  return (
    <>
      <a href={loginHref()} className={clsx(buttonVariants({ variant: 'ghost' }), className)}>
        {layout.signIn}
      </a>
      <a href={loginHref({ signUp: true })} className={clsx(buttonVariants(), className)}>
        {layout.getStarted}
      </a>
    </>
  )
}
