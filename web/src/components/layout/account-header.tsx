import { Link } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { dropAllDrafts } from '@/lib/drafts'
import { logoutHref } from '@/lib/login'
import { useOffered } from '@/lib/offer'
import type { User } from '@/lib/session'
import { account } from '@/messages/account'
import { layout } from '@/messages/layout'
import { buttonVariants } from '../ui/button-variants'
import { entriesFor, groupsFor } from './account-ways'
import { Disclosure } from './disclosure'
import { LazyActionTitle } from './lazy-action-title'
import { MainNavigation, MobileMenu, NavLink } from './navigation'

/**
 * specification §2's header of a signed-in person, with the pages that have no entry of their own in a menu
 * under their name.
 */
export function AccountHeader({ user }: { user: User }) {
  const entries = entriesFor(user)
  return (
    <>
      {user.needs2FA && !user.twoFactorVerified ? null : <LazyActionTitle />}
      <MainNavigation entries={entries} />
      <div className="ml-auto hidden items-center gap-2 lg:flex">
        <AccountMenu user={user} />
        <Ends />
      </div>
      <MobileMenu entries={entries} ends={<Ends className="flex-1" />}>
        <div className="mt-3 border-t pt-2">
          <Groups
            user={user}
            listClassName="grid grid-cols-2 gap-1"
            entryClassName="min-h-12 rounded-md px-3 py-2 text-sm"
          />
          <Who user={user} className="px-3 pt-3 text-muted-foreground" />
        </div>
      </MobileMenu>
    </>
  )
}

function Ends({ className }: { className?: string }) {
  return (
    <>
      <Link to="/dashboard" className={cn(buttonVariants({ variant: 'outline' }), className)}>
        {layout.dashboard}
      </Link>
      <a
        href={logoutHref}
        onClick={dropAllDrafts}
        className={cn(buttonVariants({ variant: 'ghost' }), className)}
      >
        {layout.logout}
      </a>
    </>
  )
}

function Who({ user, className }: { user: User; className?: string }) {
  return (
    <span className={cn('flex min-w-0 items-center gap-2 text-sm', className)}>
      {user.profileImageUrl ? (
        <img src={user.profileImageUrl} alt="" className="size-7 shrink-0 rounded-full object-cover" />
      ) : null}
      <span className="truncate" title={user.email}>
        <bdi>{user.firstName || user.email || account.menu}</bdi>
      </span>
    </span>
  )
}

interface AccountMenuProps {
  user: User
  className?: string
  /** What stands below the ways. */
  children?: ReactNode
}

/** The person's name, and below it the menu. */
export function AccountMenu({ user, className, children }: AccountMenuProps) {
  return (
    <Disclosure
      className={cn('group relative', className)}
      summaryClassName="flex max-w-48 list-none items-center gap-1 rounded-md px-2 py-1.5 hover:bg-accent [&::-webkit-details-marker]:hidden"
      panelClassName="absolute top-full right-0 z-40 mt-2 max-h-[calc(100dvh-6rem)] w-64 overflow-y-auto rounded-lg border bg-popover p-2 text-popover-foreground shadow-lg"
      summary={
        <>
          <Who user={user} />
          {user.email ? <span className="sr-only">{account.menu}</span> : null}
          <ChevronDown
            aria-hidden
            className="size-4 shrink-0 text-muted-foreground transition-transform group-open:rotate-180"
          />
        </>
      }
    >
      <p className="truncate px-3 py-2 text-xs text-muted-foreground">{user.email}</p>
      <Groups user={user} entryClassName="min-h-9 rounded-md px-3 py-1.5 text-sm" />
      {children}
    </Disclosure>
  )
}

interface GroupsProps {
  user: User
  listClassName?: string
  entryClassName: string
}

function Groups({ user, listClassName, entryClassName }: GroupsProps) {
  const offers = useOffered('rails')
  return (
    <nav aria-label={account.menu} className="space-y-2">
      {groupsFor(user).map(({ title, entries }) => (
        <div key={title}>
          <p className="px-3 pt-2 pb-1 text-xs font-medium text-muted-foreground">{title}</p>
          <ul aria-label={title} className={listClassName}>
            {entries
              .filter(({ rail }) => offers(rail))
              .map((entry) => (
                <li key={entry.to}>
                  <NavLink entry={entry} withIcon className={cn('flex items-center', entryClassName)} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
