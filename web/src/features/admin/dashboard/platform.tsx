import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, TriangleAlert } from 'lucide-react'
import type { PlatformChore, PlatformProvider, PlatformQueue, PlatformService } from '@/api/types.gen'
import { Failed, LoadingRows, Notice } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { useNow } from '@/lib/clock'
import { cn } from '@/lib/cn'
import { ago, count } from '@/lib/format'
import { adminDashboard as texts } from '@/messages/admin-dashboard'
import { platformQuery } from './queries'

const CLOCK_MS = 10_000

/** Where each queue is worked off. */
const pages: Record<PlatformQueue['name'], { to: string; search?: Record<string, string> }> = {
  payments: { to: '/admin/payments' },
  actionable_orders: { to: '/admin/orders' },
  risk: { to: '/admin/risk' },
  gift_cards: { to: '/admin/gift-cards', search: { status: 'in_review' } },
  kyc: { to: '/admin/kyc', search: { standing: 'on_hold' } },
  payouts: { to: '/admin/payouts', search: { status: 'requested' } },
  transfers: { to: '/admin/payouts', search: { status: 'approved' } },
  treasury: { to: '/admin/treasury' },
  vouchers: { to: '/admin/vouchers' },
  rewards: { to: '/admin/referrals', search: { status: 'held' } },
  breaks: { to: '/admin/reconciliation' },
  unplaced: { to: '/admin/money' },
  money_proposals: { to: '/admin/money' },
  closed_credits: { to: '/admin/closed-credits' },
  tickets: { to: '/admin/support', search: { status: 'open' } },
  recoveries: { to: '/admin/security' },
  team: { to: '/admin/team' },
  approvals: { to: '/admin/approvals' },
}

/** The queues with waiting cases, the longest wait first. */
export function WaitingQueues() {
  const platform = useQuery(platformQuery)
  const now = useNow(CLOCK_MS)
  return (
    <Card>
      <CardTitle className="mb-4">{texts.queues}</CardTitle>
      {platform.isPending ? <LoadingRows rows={3} /> : null}
      {platform.data?.queues.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.nobodyWaits}</p>
      ) : null}
      <ul className="divide-y">
        {platform.data?.queues.map((queue) => (
          <li
            key={queue.name}
            className="relative flex items-center justify-between gap-x-3 py-2.5 text-sm hover:bg-muted"
          >
            <Link
              to={pages[queue.name].to}
              search={pages[queue.name].search ?? {}}
              className="min-w-min flex-1 rounded-sm font-medium after:absolute after:inset-0"
            >
              {texts.queue[queue.name]}
            </Link>
            <span className="text-right text-muted-foreground">
              <span className="font-semibold text-foreground tabular-nums">{count(queue.count)}</span> ·{' '}
              {texts.oldest(ago(queue.oldest, now))}
            </span>
            <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** What has been wrong for longer than it may; nothing is shown while all is well. */
export function Alerts() {
  const platform = useQuery(platformQuery)
  const now = useNow(CLOCK_MS)
  const alerts = platform.data?.alerts ?? []
  if (alerts.length === 0) return null
  return (
    <Notice tone="danger" icon={TriangleAlert} title={texts.alerts(alerts.length)} className="mb-6">
      <ul className="mt-1 space-y-1">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <a href={alert.page} className="rounded-sm font-medium underline underline-offset-4">
              {alert.text}
            </a>{' '}
            {texts.called(ago(alert.openedAt, now))}
            {alert.acknowledgedAt ? ` ${texts.acknowledged(ago(alert.acknowledgedAt, now))}` : ''}
          </li>
        ))}
      </ul>
      <Link
        to="/admin/alerts"
        className="mt-2 inline-flex min-h-11 items-center rounded-sm underline underline-offset-4 md:min-h-8"
      >
        {texts.acknowledge}
      </Link>
    </Notice>
  )
}

/** How each service does, with the reason where it is limited. */
export function PlatformHealth() {
  const platform = useQuery(platformQuery)
  const now = useNow(CLOCK_MS)
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4">
        <CardTitle>{texts.health}</CardTitle>
        <Link
          to="/admin/alerts"
          className={cn(textLink, 'inline-flex min-h-11 items-center text-sm md:min-h-8')}
        >
          {texts.history}
        </Link>
      </div>
      {platform.error ? (
        <Failed title={texts.platformFailed} error={platform.error} retry={() => void platform.refetch()} />
      ) : null}
      {platform.isPending ? <LoadingRows rows={4} /> : null}
      {platform.data ? (
        <>
          <ul className="space-y-3">
            {platform.data.services.map((service) => (
              <Service key={service.name} service={service} />
            ))}
          </ul>
          <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.providers}</h3>
          <ul className="space-y-1 text-sm text-muted-foreground">
            {platform.data.providers.map((provider) => (
              <li key={provider.name} className="flex justify-between gap-x-4">
                <span className="text-foreground">{provider.name}</span>{' '}
                <span className="text-right">{providerText(provider, now)}</span>
              </li>
            ))}
            <li className="flex justify-between gap-x-4">
              <span className="text-foreground">{texts.prices}</span>{' '}
              <span className="text-right">
                {platform.data.pricesAt ? texts.pricesRead(ago(platform.data.pricesAt, now)) : texts.noPrices}
              </span>
            </li>
          </ul>
          <h3 className="mt-5 mb-2 text-sm font-semibold">{texts.chores}</h3>
          <ul className="space-y-1 text-sm text-muted-foreground">
            {platform.data.chores.map((chore) => (
              <li key={chore.name} className="flex justify-between gap-x-4">
                <span className="text-foreground">{texts.chore[chore.name]}</span>{' '}
                <span className={chore.error ? 'text-right text-destructive' : 'text-right'}>
                  {choreText(chore, now)}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Card>
  )
}

function choreText(chore: PlatformChore, now: number): string {
  if (!chore.lastSuccess) return texts.choreNever
  const when = ago(chore.lastSuccess, now)
  return chore.error ? texts.choreFailed(when) : texts.choreDone(when)
}

function providerText(provider: PlatformProvider, now: number): string {
  if (provider.workerRuns === false) return texts.workerGone
  return provider.lastSuccess ? texts.lastSuccess(ago(provider.lastSuccess, now)) : texts.never
}

function Service({ service }: { service: PlatformService }) {
  const operational = service.status === 'operational'
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
      <span className="min-w-0">
        {texts.services[service.name]}
        {service.reason ? (
          <span className="block text-xs text-muted-foreground">{service.reason}</span>
        ) : null}
      </span>
      <StatusBadge
        look={{ label: texts.status[service.status], tone: operational ? 'success' : 'pending' }}
      />
    </li>
  )
}
