import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { ChevronRight, PanelLeft } from 'lucide-react'
import { useEffect, useState } from 'react'
import { AccountMenu } from '@/components/layout/account-header'
import { BrandMark } from '@/components/layout/brand'
import { ThemeSwitch } from '@/components/layout/theme-switch'
import { Button } from '@/components/ui/button'
import { RecentCode } from '@/features/two-factor/step-up'
import { cn } from '@/lib/cn'
import { dropAllDrafts } from '@/lib/drafts'
import { logoutHref } from '@/lib/login'
import { useConfig, useUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { admin } from '@/messages/admin'
import { common } from '@/messages/common'
import { layout } from '@/messages/layout'
import { PaletteButton, usePalette } from './palette-opener'
import { PhoneMenu } from './phone-menu'
import { sectionOf } from './sections'
import { SectionList } from './sidebar'

const KEY = 'sidebar'
/** specification §2: how long 'Access Denied' stands before the way back to the start. */
const DENIED_DELAY_MS = 1_000

/** Below this width the sidebar is folded until it is opened: the rows of a queue need the room. */
const ROOMY = '(min-width: 80rem)'

function isCollapsed(): boolean {
  const narrow = !matchMedia(ROOMY).matches
  try {
    return (localStorage.getItem(KEY) ?? (narrow ? 'collapsed' : 'open')) === 'collapsed'
  } catch {
    return narrow
  }
}

/** The back office: sidebar (240 px, collapsible), top bar (56 px) with breadcrumbs, content to 1600 px. */
export function AdminShell() {
  const [collapsed, setCollapsed] = useState(isCollapsed)
  const user = useUser()
  const palette = usePalette()
  useLostRole()
  const toggle = () => {
    const next = !collapsed
    setCollapsed(next)
    try {
      localStorage.setItem(KEY, next ? 'collapsed' : 'open')
    } catch {
      // The choice lasts for this page.
    }
  }
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <aside
        aria-label="Administration"
        className={cn(
          'sticky top-0 z-30 flex shrink-0 flex-col border-b bg-card md:h-dvh md:border-r md:border-b-0',
          collapsed ? 'md:w-16' : 'md:w-60',
        )}
      >
        <div className="flex items-center gap-1 px-1 md:px-0">
          <PhoneMenu />
          <Brand collapsed={collapsed} />
          <PaletteButton onClick={palette.show} />
          {user ? (
            <AccountMenu user={user} className="max-w-36 min-w-0 md:hidden">
              <a
                href={logoutHref}
                onClick={dropAllDrafts}
                className="mt-2 block rounded-md border-t px-3 py-3 text-base font-medium hover:bg-accent"
              >
                {layout.logout}
              </a>
            </AccountMenu>
          ) : null}
        </div>
        <SectionList
          collapsed={collapsed}
          className="scroll-shade hidden min-h-0 flex-1 overflow-y-auto md:block"
        />
        <div className={cn('hidden border-t p-3 md:block md:short:py-2', collapsed && 'md:hidden')}>
          <ThemeSwitch />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar collapsed={collapsed} onToggle={toggle} onFind={palette.show} />
        <main
          id="main"
          tabIndex={-1}
          // Room below the last row: a toast stands there.
          className="mx-auto w-full max-w-[1600px] flex-1 p-4 outline-none md:p-6 md:pb-28"
        >
          <Outlet />
        </main>
      </div>
      {palette.dialog}
      <RecentCode />
    </div>
  )
}

/** The role was revoked during the session: the specification's toast, then the start page. */
function useLostRole(): void {
  const isAdmin = useUser()?.isAdmin ?? false
  const navigate = useNavigate()
  useEffect(() => {
    if (isAdmin) return
    toast({
      title: common.accessDenied,
      description: common.adminRequired,
      variant: 'destructive',
      last: true,
    })
    const timer = setTimeout(() => void navigate({ to: '/' }), DENIED_DELAY_MS)
    return () => clearTimeout(timer)
  }, [isAdmin, navigate])
}

function Brand({ collapsed }: { collapsed: boolean }) {
  const { brand } = useConfig()
  return (
    <Link to="/admin" className="flex h-14 min-w-0 flex-1 items-center gap-2 px-1 font-semibold md:px-4">
      <BrandMark className="size-7 shrink-0" />
      <span className={cn('min-w-0 leading-tight', collapsed && 'md:sr-only')}>
        {brand} <span className="font-normal text-muted-foreground">{admin.area}</span>
      </span>
    </Link>
  )
}

/** The section one is in: on one of its records, the way back to its list. */
function Crumb({ path }: { path: string }) {
  const section = sectionOf(path)
  if (!section) return null
  return path.startsWith(`${section.to}/`) && section.to !== '/admin' ? (
    <Link to={section.to} className="truncate rounded-sm text-muted-foreground hover:text-foreground">
      {section.label}
    </Link>
  ) : (
    <span aria-current="page" className="truncate">
      {section.label}
    </span>
  )
}

interface TopBarProps {
  collapsed: boolean
  onToggle: () => void
  onFind: () => void
}

function TopBar({ collapsed, onToggle, onFind }: TopBarProps) {
  const user = useUser()
  const path = useLocation({ select: (location) => location.pathname })
  return (
    <header className="sticky top-0 z-20 hidden h-14 items-center gap-3 border-b bg-card px-4 md:flex">
      <Button
        variant="ghost"
        size="icon"
        aria-label={collapsed ? admin.expand : admin.collapse}
        aria-expanded={!collapsed}
        onClick={onToggle}
      >
        <PanelLeft aria-hidden />
      </Button>
      <nav aria-label={admin.breadcrumb} className="min-w-0 flex-1">
        <ol className="flex items-center gap-1.5 text-sm">
          <li className="shrink-0 max-lg:hidden">
            <Link to="/admin" className="rounded-sm text-muted-foreground hover:text-foreground">
              {admin.area}
            </Link>
          </li>
          <li className="flex min-w-0 items-center gap-1.5">
            <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground max-lg:hidden" />
            <Crumb path={path} />
          </li>
        </ol>
      </nav>
      <PaletteButton wide onClick={onFind} />
      {user ? <AccountMenu user={user} className="min-w-0" /> : null}
      <a href={logoutHref} onClick={dropAllDrafts} className="rounded-sm text-sm font-medium hover:underline">
        {layout.logout}
      </a>
    </header>
  )
}
