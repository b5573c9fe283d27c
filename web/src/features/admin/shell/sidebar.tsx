import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ArrowLeft, ExternalLink } from 'lucide-react'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { useConfig, useUser } from '@/lib/session'
import { admin } from '@/messages/admin'
import { common } from '@/messages/common'
import { queuesQuery } from '../dashboard/queries'
import { type Section, sectionOf, sectionsFor } from './sections'

const item =
  'flex min-h-11 items-center gap-3 rounded-md px-3 text-sm text-muted-foreground hover:bg-accent hover:text-foreground md:min-h-8 md:short:min-h-6.5'
const current = 'aria-current:bg-primary-tint aria-current:font-medium aria-current:text-primary'

/** How many wait in a section, as the server counts its queues. */
function useWaiting(permissions: readonly string[]): (section: Section) => number {
  const queues = useQuery({ ...queuesQuery, enabled: permissions.includes('read_customers') }).data ?? []
  return ({ queues: own }) =>
    queues.reduce((sum, queue) => sum + (own?.includes(queue.name) ? queue.count : 0), 0)
}

/** The sections by group, and the ways out. Collapsed, only their icons are seen. */
export function SectionList({ collapsed = false, className }: { collapsed?: boolean; className?: string }) {
  const permissions = useUser()?.permissions ?? []
  const waiting = useWaiting(permissions)
  return (
    <nav
      aria-label={admin.navigation}
      className={cn('relative space-y-3 p-2 md:space-y-2 md:short:space-y-1.5 md:short:py-1', className)}
    >
      {sectionsFor(permissions).map(({ title, sections }) => (
        <div key={title} className={cn(collapsed && 'border-t pt-2 first:border-t-0 first:pt-0')}>
          <p
            className={cn(
              'px-3 pb-1 text-xs font-medium text-muted-foreground md:short:pb-0',
              collapsed && 'sr-only',
            )}
          >
            {title}
          </p>
          <ul aria-label={title} className="space-y-0.5 md:short:space-y-px">
            {sections.map((section) => (
              <li key={section.to}>
                <SectionLink section={section} collapsed={collapsed} waiting={waiting(section)} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      <WaysOut collapsed={collapsed} />
    </nav>
  )
}

interface SectionLinkProps {
  section: Section
  collapsed: boolean
  /** How many wait there. */
  waiting: number
}

function SectionLink({ section, collapsed, waiting }: SectionLinkProps) {
  const { to, label, icon: Icon } = section
  // On one of its records, the list is where one is, though not the page.
  const within = useLocation({ select: ({ pathname }) => sectionOf(pathname)?.to === to })
  return (
    <Link
      to={to}
      aria-current={within ? 'true' : undefined}
      activeOptions={{ exact: true, includeSearch: false }}
      title={label}
      className={cn(item, current, 'relative')}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className={cn('flex-1', collapsed && 'sr-only')}>{label}</span>
      {waiting > 0 ? (
        <span
          className={cn(
            'rounded-full bg-neutral-tint px-1.5 text-xs font-medium text-neutral-text tabular-nums',
            collapsed && 'absolute top-0 right-0',
          )}
        >
          {count(waiting)}
          <span className="sr-only"> {admin.waiting}</span>
        </span>
      ) : null}
    </Link>
  )
}

function WaysOut({ collapsed }: { collapsed: boolean }) {
  const { temporalUiUrl } = useConfig()
  const label = cn(collapsed && 'sr-only')
  return (
    <div className="space-y-0.5 border-t pt-2 md:short:space-y-px md:short:pt-1">
      {temporalUiUrl ? (
        <a href={temporalUiUrl} target="_blank" rel="noreferrer" title={admin.temporal} className={item}>
          <ExternalLink aria-hidden className="size-4 shrink-0" />
          <span className={label}>{admin.temporal}</span>
          <span className="sr-only">({common.openInNewTab})</span>
        </a>
      ) : null}
      <Link to="/dashboard" title={admin.toSite} className={item}>
        <ArrowLeft aria-hidden className="size-4 shrink-0" />
        <span className={label}>{admin.toSite}</span>
      </Link>
    </div>
  )
}
