import { Link, lazyRouteComponent } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Menu, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { loginHref } from '@/lib/login'
import { useConfig, useUser } from '@/lib/session'
import { layout } from '@/messages/layout'
import { buttonVariants } from '../ui/button-variants'
import { BrandMark } from './brand'
import { Disclosure } from './disclosure'
import { LanguageSwitch } from './language-switch'
import { LazyConnection } from './lazy-connection'

export interface HeaderEntry {
  label: string
  to: string
  hash?: string
}

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
      <MobileMenu entries={visitorLinks}>
        <VisitorActions className="w-full" />
      </MobileMenu>
    </>
  )
}

export function MainNavigation({ entries }: { entries: readonly HeaderEntry[] }) {
  return (
    <nav aria-label={layout.mainNavigation} className="hidden flex-1 items-center gap-1 lg:flex">
      {entries.map((entry) => (
        <NavLink key={entry.label} entry={entry} className="rounded-md px-3 py-2 text-sm" />
      ))}
    </nav>
  )
}

export function NavLink({ entry, className }: { entry: HeaderEntry; className: string }) {
  return (
    <Link
      to={entry.to}
      {...(entry.hash ? { hash: entry.hash } : {})}
      activeOptions={{ includeHash: true, exact: entry.to === '/' }}
      className={clsx(
        'font-medium text-muted-foreground hover:bg-accent hover:text-foreground aria-[current=page]:bg-accent aria-[current=page]:text-foreground',
        className,
      )}
    >
      {entry.label}
    </Link>
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

/** The header of a narrow window: the same ways, one below the other. */
export function MobileMenu({ entries, children }: { entries: readonly HeaderEntry[]; children: ReactNode }) {
  return (
    <Disclosure
      label={layout.menu}
      className="group ml-auto lg:hidden"
      summaryClassName="grid size-11 list-none place-items-center rounded-md hover:bg-accent [&::-webkit-details-marker]:hidden"
      panelClassName="absolute inset-x-0 top-full max-h-[calc(100dvh-5rem)] overflow-y-auto border-b bg-card p-3 shadow-lg"
      summary={
        <>
          <Menu aria-hidden className="size-5 group-open:hidden" />
          <X aria-hidden className="hidden size-5 group-open:block" />
        </>
      }
    >
      <nav aria-label={layout.mainNavigation} className="flex flex-col">
        {entries.map((entry) => (
          <NavLink key={entry.label} entry={entry} className="rounded-md px-3 py-3 text-base" />
        ))}
      </nav>
      <div className="mt-3 flex flex-col gap-2 border-t pt-3">
        {children}
        <LanguageSwitch className="mt-2 self-start" />
      </div>
    </Disclosure>
  )
}
