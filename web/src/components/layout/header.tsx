import { Link, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Menu, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { loginHref, logoutHref } from '@/lib/login'
import { type User, useConfig, useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { buttonVariants } from '../ui/button-variants'
import { BrandMark } from './brand'

interface Entry {
  label: string
  to: string
  hash?: string
}

const visitorLinks: readonly Entry[] = [
  { label: layout.home, to: '/' },
  { label: layout.features, to: '/', hash: 'features' },
  { label: layout.howItWorks, to: '/', hash: 'how-it-works' },
  { label: layout.support, to: '/', hash: 'support' },
]

const memberLinks: readonly Entry[] = [
  { label: layout.buy, to: '/buy' },
  { label: layout.wallet, to: '/wallet' },
  { label: layout.transactions, to: '/transactions' },
  { label: layout.verification, to: '/kyc' },
]

function entriesFor(user: User | null): readonly Entry[] {
  if (!user) return visitorLinks
  return user.isAdmin ? [...memberLinks, { label: layout.admin, to: '/admin' }] : memberLinks
}

export function Header() {
  const user = useUser()
  const { brand, mode } = useConfig()
  const entries = entriesFor(user)
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
        <nav aria-label={layout.mainNavigation} className="hidden flex-1 items-center gap-1 lg:flex">
          {entries.map((entry) => (
            <NavLink key={entry.label} entry={entry} className="rounded-md px-3 py-2 text-sm" />
          ))}
        </nav>
        <div className="ml-auto hidden items-center gap-2 lg:flex">
          {user ? <MemberActions user={user} /> : <VisitorActions />}
        </div>
        <MobileMenu>
          <nav aria-label={layout.mainNavigation} className="flex flex-col">
            {entries.map((entry) => (
              <NavLink key={entry.label} entry={entry} className="rounded-md px-3 py-3 text-base" />
            ))}
          </nav>
          <div className="mt-3 flex flex-col gap-2 border-t pt-3">
            {user ? <MemberActions user={user} stacked /> : <VisitorActions stacked />}
          </div>
        </MobileMenu>
      </div>
    </header>
  )
}

function NavLink({ entry, className }: { entry: Entry; className: string }) {
  return (
    <Link
      to={entry.to}
      {...(entry.hash ? { hash: entry.hash } : {})}
      activeOptions={{ includeHash: true, exact: entry.to === '/' }}
      className={clsx(
        'font-medium text-muted-foreground hover:bg-accent hover:text-foreground aria-[current=page]:text-foreground',
        className,
      )}
    >
      {entry.label}
    </Link>
  )
}

function VisitorActions({ stacked = false }: { stacked?: boolean }) {
  const wide = stacked ? 'w-full' : ''
  return (
    <>
      <a href={loginHref()} className={clsx(buttonVariants({ variant: 'ghost' }), wide)}>
        {layout.signIn}
      </a>
      <a href={loginHref({ signUp: true })} className={clsx(buttonVariants(), wide)}>
        {layout.getStarted}
      </a>
    </>
  )
}

function MemberActions({ user, stacked = false }: { user: User; stacked?: boolean }) {
  const wide = stacked ? 'w-full' : ''
  return (
    <>
      <span className={clsx('flex min-w-0 items-center gap-2 text-sm', stacked ? 'px-3 py-2' : 'max-w-48')}>
        {user.profileImageUrl ? (
          <img src={user.profileImageUrl} alt="" className="size-7 shrink-0 rounded-full object-cover" />
        ) : null}
        <span className="truncate" title={user.email}>
          {user.firstName || user.email}
        </span>
      </span>
      <Link to="/dashboard" className={clsx(buttonVariants({ variant: 'outline' }), wide)}>
        {layout.dashboard}
      </Link>
      <a href={logoutHref} className={clsx(buttonVariants({ variant: 'ghost' }), wide)}>
        {layout.logout}
      </a>
    </>
  )
}

/** A native disclosure: works before any script has run, and closes on navigation and on Escape. */
function MobileMenu({ children }: { children: ReactNode }) {
  const details = useRef<HTMLDetailsElement>(null)
  const href = useLocation({ select: (location) => location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes whenever the address changes
  useEffect(() => {
    if (details.current) details.current.open = false
  }, [href])
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !details.current?.open) return
      details.current.open = false
      details.current.querySelector('summary')?.focus()
    }
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [])
  return (
    <details ref={details} className="group ml-auto lg:hidden">
      <summary
        aria-label={layout.menu}
        className="grid size-11 list-none place-items-center rounded-md hover:bg-accent [&::-webkit-details-marker]:hidden"
      >
        <Menu aria-hidden className="size-5 group-open:hidden" />
        <X aria-hidden className="hidden size-5 group-open:block" />
      </summary>
      <div className="absolute inset-x-0 top-full max-h-[calc(100dvh-5rem)] overflow-y-auto border-b bg-card p-3 shadow-lg">
        {children}
      </div>
    </details>
  )
}
