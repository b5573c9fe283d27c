import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import {
  ArrowLeft,
  ArrowRightLeft,
  BadgePercent,
  ChevronRight,
  CirclePause,
  CreditCard,
  ExternalLink,
  Gift,
  IdCard,
  KeyRound,
  Landmark,
  LayoutDashboard,
  type LucideIcon,
  MessageCircle,
  PackageCheck,
  PanelLeft,
  Scale,
  ScrollText,
  ShieldAlert,
  Ticket,
  UserRound,
  Users,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { AccountMenu } from '@/components/layout/account-header'
import { BrandMark } from '@/components/layout/brand'
import { ThemeSwitch } from '@/components/layout/theme-switch'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { logoutHref } from '@/lib/login'
import { useConfig, useUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { admin } from '@/messages/admin'
import { adminNav } from '@/messages/admin-nav'
import { common } from '@/messages/common'
import { layout } from '@/messages/layout'

interface Entry {
  to: string
  label: string
  icon: LucideIcon
  /** What one must be allowed to do, where not all of the staff are. */
  needs?: string
}

const entries: readonly Entry[] = [
  { to: '/admin', label: adminNav.overview, icon: LayoutDashboard },
  { to: '/admin/payments', label: adminNav.payments, icon: CreditCard },
  { to: '/admin/orders', label: adminNav.orders, icon: PackageCheck },
  { to: '/admin/customers', label: adminNav.customers, icon: UserRound },
  { to: '/admin/gift-cards', label: adminNav.giftCards, icon: Gift },
  { to: '/admin/payouts', label: adminNav.payouts, icon: Landmark },
  { to: '/admin/kyc', label: adminNav.kyc, icon: IdCard },
  { to: '/admin/vouchers', label: adminNav.vouchers, icon: Ticket },
  { to: '/admin/pricing', label: adminNav.pricing, icon: BadgePercent },
  { to: '/admin/risk', label: adminNav.risk, icon: ShieldAlert },
  { to: '/admin/switches', label: adminNav.switches, icon: CirclePause },
  { to: '/admin/referrals', label: adminNav.referrals, icon: Users },
  { to: '/admin/support', label: adminNav.support, icon: MessageCircle },
  { to: '/admin/security', label: adminNav.security, icon: KeyRound },
  { to: '/admin/transactions', label: adminNav.transactions, icon: ArrowRightLeft },
  { to: '/admin/ledger', label: adminNav.ledger, icon: Scale, needs: 'read_ledger' },
  { to: '/admin/audit', label: adminNav.audit, icon: ScrollText, needs: 'read_audit' },
]

const KEY = 'sidebar'
/** SPEC §2: how long 'Access Denied' stands before the way back to the start. */
const DENIED_DELAY_MS = 1_000

function isCollapsed(): boolean {
  try {
    return localStorage.getItem(KEY) === 'collapsed'
  } catch {
    return false
  }
}

/** The back office: sidebar (240 px, collapsible), top bar (56 px) with breadcrumbs, content to 1600 px. */
export function AdminShell() {
  const [collapsed, setCollapsed] = useState(isCollapsed)
  const user = useUser()
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
          'z-30 flex shrink-0 flex-col border-b bg-card md:sticky md:top-0 md:h-dvh md:border-r md:border-b-0',
          collapsed ? 'md:w-16' : 'md:w-60',
        )}
      >
        <div className="flex items-center justify-between pr-2 md:pr-0">
          <Brand collapsed={collapsed} />
          {user ? (
            <AccountMenu user={user} className="md:hidden">
              <a
                href={logoutHref}
                className="mt-2 block rounded-md border-t px-3 py-3 text-base font-medium hover:bg-accent"
              >
                {layout.logout}
              </a>
            </AccountMenu>
          ) : null}
        </div>
        <Sidebar collapsed={collapsed} />
        <div className={cn('hidden p-3 md:mt-auto md:block', collapsed && 'md:hidden')}>
          <ThemeSwitch />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar collapsed={collapsed} onToggle={toggle} />
        <div className="mx-auto w-full max-w-[1600px] flex-1 p-4 md:p-6">
          <Outlet />
        </div>
      </div>
    </div>
  )
}

/** The role was taken away while here: SPEC's toast, then the start page. */
function useLostRole(): void {
  const isAdmin = useUser()?.isAdmin ?? false
  const navigate = useNavigate()
  useEffect(() => {
    if (isAdmin) return
    toast({ title: common.accessDenied, description: common.adminRequired, variant: 'destructive' })
    const timer = setTimeout(() => void navigate({ to: '/' }), DENIED_DELAY_MS)
    return () => clearTimeout(timer)
  }, [isAdmin, navigate])
}

function Brand({ collapsed }: { collapsed: boolean }) {
  const { brand } = useConfig()
  return (
    <Link to="/admin" className="flex h-14 items-center gap-2 px-4 font-semibold">
      <BrandMark className="size-7 shrink-0" />
      <span className={cn(collapsed && 'md:sr-only')}>
        {brand} <span className="font-normal text-muted-foreground">{admin.area}</span>
      </span>
    </Link>
  )
}

function Sidebar({ collapsed }: { collapsed: boolean }) {
  const { temporalUiUrl } = useConfig()
  const permissions = useUser()?.permissions ?? []
  const label = cn(collapsed && 'md:sr-only')
  const item =
    'flex min-h-11 shrink-0 items-center gap-3 rounded-md px-3 text-sm text-muted-foreground hover:bg-accent hover:text-foreground md:min-h-9'
  return (
    <nav
      aria-label={admin.navigation}
      className="relative flex gap-1 overflow-x-auto px-2 pb-2 md:flex-col md:overflow-visible"
    >
      {entries
        .filter(({ needs }) => !needs || permissions.includes(needs))
        .map(({ to, label: text, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            title={text}
            className={cn(
              item,
              'aria-[current=page]:bg-primary-tint aria-[current=page]:font-medium aria-[current=page]:text-primary',
            )}
          >
            <Icon aria-hidden className="size-4 shrink-0" />
            <span className={label}>{text}</span>
          </Link>
        ))}
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
    </nav>
  )
}

function TopBar({ collapsed, onToggle }: { collapsed: boolean; onToggle: () => void }) {
  const user = useUser()
  const path = useLocation({ select: (location) => location.pathname })
  const current = entries.find(
    (entry) => entry.to !== '/admin' && (path === entry.to || path.startsWith(`${entry.to}/`)),
  )
  return (
    <div className="sticky top-0 z-20 hidden h-14 items-center gap-3 border-b bg-card px-4 md:flex">
      <Button
        variant="ghost"
        size="icon"
        aria-label={collapsed ? admin.expand : admin.collapse}
        aria-expanded={!collapsed}
        onClick={onToggle}
      >
        <PanelLeft aria-hidden />
      </Button>
      <nav aria-label={admin.breadcrumb}>
        <ol className="flex items-center gap-1.5 text-sm">
          <li>
            <Link to="/admin" className="rounded-sm text-muted-foreground hover:text-foreground">
              {admin.area}
            </Link>
          </li>
          <li className="flex items-center gap-1.5">
            <ChevronRight aria-hidden className="size-4 text-muted-foreground" />
            <span aria-current="page">{current?.label ?? adminNav.overview}</span>
          </li>
        </ol>
      </nav>
      {user ? <AccountMenu user={user} className="ml-auto" /> : null}
      <a href={logoutHref} className="rounded-sm text-sm font-medium hover:underline">
        {layout.logout}
      </a>
    </div>
  )
}
