import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type LucideIcon, Menu, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { layout } from '@/messages/layout'
import { Disclosure } from './disclosure'
import { LanguageSwitch } from './language-switch'

export interface HeaderEntry {
  /** Without it the entry has nothing to offer. */
  rail?: string
  label: string
  to: string
  hash?: string
  /** Shown where there is room for it: in the menus. */
  icon?: LucideIcon
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

interface NavLinkProps {
  entry: HeaderEntry
  className: string
  withIcon?: boolean
}

export function NavLink({ entry, className, withIcon }: NavLinkProps) {
  const Icon = withIcon ? entry.icon : undefined
  return (
    <Link
      to={entry.to}
      {...(entry.hash ? { hash: entry.hash } : {})}
      activeOptions={{ includeHash: true, exact: entry.to === '/' }}
      className={clsx(
        'font-medium text-muted-foreground hover:bg-accent hover:text-foreground aria-[current=page]:bg-accent aria-[current=page]:text-foreground',
        Icon && 'flex items-center gap-3',
        className,
      )}
    >
      {Icon ? <Icon aria-hidden className="size-5 shrink-0" /> : null}
      {entry.label}
    </Link>
  )
}

interface MobileMenuProps {
  entries: readonly HeaderEntry[]
  /** The ways in and out, which stay in view while the rest scrolls. */
  ends: ReactNode
  children?: ReactNode
}

/** The header of a narrow window: the same ways, two beside each other. */
export function MobileMenu({ entries, ends, children }: MobileMenuProps) {
  return (
    <Disclosure
      label={layout.menu}
      className="group ml-auto lg:hidden"
      summaryClassName="grid size-11 list-none place-items-center rounded-md hover:bg-accent [&::-webkit-details-marker]:hidden"
      panelClassName="absolute inset-x-0 top-full flex max-h-[calc(100dvh-6.5rem)] flex-col border-b bg-card shadow-lg"
      summary={
        <>
          <Menu aria-hidden className="size-5 group-open:hidden" />
          <X aria-hidden className="hidden size-5 group-open:block" />
        </>
      }
    >
      <div className="min-h-0 overflow-y-auto p-3">
        <nav aria-label={layout.mainNavigation} className="grid grid-cols-2 gap-1">
          {entries.map((entry) => (
            <NavLink
              key={entry.label}
              entry={entry}
              withIcon
              className="min-h-12 content-center rounded-md px-3 py-2 text-sm"
            />
          ))}
        </nav>
        {children}
        <LanguageSwitch className="mt-3" />
      </div>
      <div className="flex gap-2 border-t p-3">{ends}</div>
    </Disclosure>
  )
}
