import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Minus, TrendingDown, TrendingUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ActivityItem, AdminStats } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { Usd } from '@/components/money/money'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { isStateWord, type StatusLook, stateLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { textLink } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { count, MISSING, percent, timeZone, titled, usd } from '@/lib/format'
import { portion } from '@/lib/money'
import { adminDashboard as texts } from '@/messages/admin-dashboard'
import { orders } from '@/messages/orders'
import { calendarDay } from '../shared/calendar-day'
import { Chips } from '../shared/chips'
import { Freshness } from '../shared/freshness'
import { ObjectLink } from '../shared/object-link'
import { Person } from '../shared/person'
import { DayChart } from './day-chart'
import { Alerts, PlatformHealth, WaitingQueues } from './platform'
import { adminStatsQuery, recentActivityQuery, type StatSpan, statSpans } from './queries'

/** specification §9: so many of the newest records are shown. */
const ACTIVITIES = 10

/** The business figures and the queues that need an admin. */
export function AdminDashboard() {
  const [span, setSpan] = useState<StatSpan>('month')
  const stats = useQuery(adminStatsQuery(span))
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} actions={<Freshness of={stats} />} />
      <Alerts />
      <div className="flex flex-col">
        {stats.error ? (
          <Failed
            className="mb-4"
            title={texts.statsFailed}
            error={stats.error}
            retry={() => void stats.refetch()}
          />
        ) : null}
        <div className="max-sm:order-2 max-sm:mt-6">
          <Ways />
          <Figures stats={stats.data} />
        </div>
        <div className="grid items-start gap-6 sm:mt-6 xl:grid-cols-2">
          <WaitingQueues />
          <PlatformHealth />
        </div>
      </div>
      <Charts stats={stats.data} span={span} onSpan={setSpan} />
      <Activity />
    </>
  )
}

const ways = ['payments', 'orders', 'pricing', 'customers', 'transactions', 'kyc'] as const

function Ways() {
  return (
    <nav aria-label={texts.linksTitle} className="mb-6 flex flex-wrap gap-2">
      {ways.map((way) => (
        <Link key={way} to={`/admin/${way}`} className={buttonVariants({ variant: 'outline', size: 'sm' })}>
          {texts.links[way]}
        </Link>
      ))}
    </nav>
  )
}

function Figures({ stats }: { stats: AdminStats | undefined }) {
  const { figures, means } = texts
  const share =
    stats && stats.totalUsers > 0 ? portion(String(stats.verifiedUsers), String(stats.totalUsers)) : 0
  const changes = stats?.changes
  return (
    <dl className="grid grid-cols-2 gap-2 md:gap-3 lg:grid-cols-3 xl:grid-cols-5">
      <Figure
        name={figures.totalUsers}
        means={means.totalUsers}
        change={changes?.totalUsers}
        to={{ to: '/admin/customers' }}
      >
        {count(stats?.totalUsers)}
      </Figure>
      <Figure
        name={figures.volume}
        means={means.volume}
        change={changes?.totalVolume24h}
        to={{ to: '/admin/transactions' }}
      >
        {usd(stats?.totalVolume24h)}
      </Figure>
      <Figure name={figures.revenue} means={means.revenue} change={changes?.totalRevenue30d}>
        {usd(stats?.totalRevenue30d)}
      </Figure>
      <Figure name={figures.margin} means={means.margin} change={changes?.avgMargin} unit={texts.points}>
        {percent(stats?.avgMargin)}
      </Figure>
      <Figure
        name={figures.verified}
        means={means.verified}
        hint={stats ? texts.ofAll(`${(share * 100).toFixed(1)}%`) : MISSING}
      >
        {count(stats?.verifiedUsers)}
      </Figure>
      <Figure
        name={figures.orders}
        means={means.orders}
        hint={stats ? texts.completed(count(stats.completedOrders)) : MISSING}
        to={{ to: '/admin/orders', search: { status: 'all' } }}
      >
        {count(stats?.totalOrders)}
      </Figure>
      <Figure
        name={figures.pending}
        means={means.pending}
        hint={texts.requiresAttention}
        to={{ to: '/admin/orders', search: { status: 'pending' } }}
      >
        {count(stats?.pendingOrders)}
      </Figure>
      <Figure name={figures.active} means={means.active}>
        {count(stats?.activeTrades)}
      </Figure>
      <Figure name={figures.kyc} means={means.kyc} to={{ to: '/admin/kyc', search: { standing: 'all' } }}>
        {count(stats?.pendingKyc)}
      </Figure>
      <Figure
        name={figures.vouchers}
        means={means.vouchers}
        to={{ to: '/admin/vouchers', search: { status: 'active' } }}
      >
        {count(stats?.activeVouchers)}
      </Figure>
    </dl>
  )
}

interface FigureProps {
  name: string
  /** What it counts: as a tooltip, and for screen readers. */
  means: string
  children: ReactNode
  hint?: ReactNode
  /** By how much it changed; null is nothing to compare with, undefined no such badge. */
  change?: string | null | undefined
  unit?: string
  /** Where what it counts is listed. */
  to?: Pick<LinkProps, 'to' | 'search'>
}

function Figure({ name, means, children, hint, change, unit = '%', to }: FigureProps) {
  return (
    <div
      title={means}
      className="relative min-w-0 rounded-lg border bg-card px-4 py-3 has-[a:hover]:border-input md:p-5"
    >
      <dt className="text-sm text-muted-foreground">
        {to ? (
          <Link {...to} className="rounded-sm after:absolute after:inset-0 hover:underline">
            {name}
          </Link>
        ) : (
          name
        )}
        <span className="sr-only">. {means}</span>
      </dt>
      <dd className="wrap-anywhere text-lg font-semibold md:mt-1 md:text-xl tabular-nums">{children}</dd>
      <dd className="mt-1 min-h-5 text-xs text-muted-foreground">
        {hint}
        {change === undefined ? null : <Change change={change} unit={unit} />}
      </dd>
    </div>
  )
}

function Change({ change, unit }: { change: string | null; unit: string }) {
  if (change === null) return <span title={texts.nothingBefore}>{texts.nothingBefore}</span>
  const down = change.startsWith('-')
  const still = /^-?0(\.0+)?$/.test(change)
  const Icon = still ? Minus : down ? TrendingDown : TrendingUp
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1 font-medium tabular-nums',
        still ? '' : down ? 'text-danger-text' : 'text-success-text',
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {still ? '' : down ? '−' : '+'}
      {change.replace('-', '')} {unit}
    </span>
  )
}

interface AgainstProps {
  compared: AdminStats['compared']
  change: keyof Omit<AdminStats['compared'], 'since'>
  span: StatSpan
  unit?: string
}

/** By how much a chart's period differs from the one before, or why there is no comparison. */
function Against({ compared, change, span, unit = '%' }: AgainstProps) {
  const { since, [change]: by } = compared
  if (since !== null) return <>{since ? texts.tooYoung(calendarDay(since)) : texts.neverBefore}</>
  if (by === null) return <>{texts.noneBefore}</>
  const sign = /^-?0(\.0+)?$/.test(by) ? '±' : by.startsWith('-') ? '−' : '+'
  return (
    <span title={texts.comparedHint}>
      {sign}
      {by.replace('-', '')} {unit} {texts.against(span)}
    </span>
  )
}

interface ChartsProps {
  stats: AdminStats | undefined
  span: StatSpan
  onSpan: (span: StatSpan) => void
}

function Charts({ stats, span, onSpan }: ChartsProps) {
  const { chart } = texts
  const drawn = (read: (one: AdminStats['series'][number]) => string | null) => {
    const steps = (series: AdminStats['series'] = []) =>
      series.map((one) => {
        const text = read(one)
        return { day: one.day, figure: text === null ? null : Number(text) }
      })
    return { days: steps(stats?.series), before: steps(stats?.before) }
  }
  const compared = (change: keyof Omit<AdminStats['compared'], 'since'>, unit?: string) =>
    stats ? (
      <Against compared={stats.compared} change={change} span={span} {...(unit ? { unit } : {})} />
    ) : null
  const dollars = (figure: number) => usd(figure.toFixed(2))
  return (
    <section className="mt-6" aria-labelledby="charts">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="charts" className="text-lg">
          {texts.charts}
        </h2>
        <Chips
          legend={texts.span}
          value={span}
          onChange={onSpan}
          chips={statSpans.map((value) => ({ value, label: texts.spans[value], count: null }))}
        />
      </div>
      <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-4">
        <DayChart
          title={chart.volume}
          {...drawn((one) => one.volume)}
          show={dollars}
          compared={compared('volume')}
        />
        <DayChart
          title={chart.revenue}
          {...drawn((one) => one.revenue)}
          show={dollars}
          compared={compared('revenue')}
        />
        <DayChart
          title={chart.margin}
          {...drawn((one) => one.margin)}
          compared={compared('margin', texts.points)}
          show={(figure) => percent(figure.toFixed(2))}
        />
        <DayChart
          title={chart.time}
          {...drawn((one) => one.minutesToSent)}
          compared={span === 'day' ? null : compared('minutesToSent')}
          show={(figure) => texts.minutes(figure.toFixed(1))}
          uncounted={span === 'day' ? texts.byDayOnly : undefined}
        />
      </div>
    </section>
  )
}

const activityLooks: Record<string, Omit<StatusLook, 'label'>> = {
  completed: { tone: 'success' },
  approved: { tone: 'info' },
  payment_approved: { tone: 'info' },
  payment_processing: { tone: 'info' },
  fulfilling: { tone: 'progress' },
  filled: { tone: 'progress' },
  pending: { tone: 'pending' },
  in_review: { tone: 'pending' },
  under_review: { tone: 'pending' },
  on_hold: { tone: 'pending' },
  requested: { tone: 'pending' },
  received: { tone: 'pending' },
  offered: { tone: 'pending' },
  unconfirmed: { tone: 'pending' },
  not_started: { tone: 'neutral' },
  accepted: { tone: 'info' },
  sent: { tone: 'success' },
  paid: { tone: 'success' },
  realised: { tone: 'success' },
  failed: { tone: 'danger' },
  rejected: { tone: 'danger' },
  declined: { tone: 'danger' },
  cancelled: { tone: 'neutral', ended: true },
  expired: { tone: 'neutral', ended: true },
  refunded: { tone: 'neutral', ended: true },
  returned: { tone: 'neutral', ended: true },
  restored: { tone: 'neutral', ended: true },
}

/** The specification names three. The others that the server has are written as words, and any else is its raw value. */
export function activityLook({ type, status }: Pick<ActivityItem, 'type' | 'status'>): StatusLook {
  if (type === 'order' && isStateWord(status)) return stateLook(status)
  const look = activityLooks[status]
  return {
    label: texts.activityStatus[status] ?? (look ? titled(status) : status),
    ...(look ?? { tone: 'neutral' }),
  }
}

function Activity() {
  const activity = useQuery(recentActivityQuery)
  return (
    <Card className="mt-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <CardTitle>{texts.activity}</CardTitle>
        <Link to="/admin/transactions" className={cn(textLink, 'text-sm')}>
          {texts.allActivity}
        </Link>
      </div>
      {activity.error ? (
        <Failed title={texts.activityFailed} error={activity.error} retry={() => void activity.refetch()} />
      ) : null}
      {activity.isPending ? <LoadingRows rows={3} /> : null}
      {activity.data?.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.noActivity}</p>
      ) : null}
      {activity.data?.length ? (
        <p className="mb-1 text-xs text-muted-foreground">{orders.zone(timeZone())}</p>
      ) : null}
      <ul aria-label={texts.activity} className="divide-y">
        {activity.data?.slice(0, ACTIVITIES).map((item) => (
          <ActivityRow key={`${item.type} ${item.id}`} item={item} />
        ))}
      </ul>
    </Card>
  )
}

/** What each item's link leads to. */
const activityKinds: Record<ActivityItem['type'], string> = {
  order: 'order',
  gift_card: 'gift_card',
  voucher: 'redemption',
  payout: 'payout',
  kyc: 'kyc',
  sign_up: 'user',
}

function ActivityRow({ item }: { item: ActivityItem }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
        <ObjectLink kind={activityKinds[item.type]} id={item.subjectId}>
          {item.description}
        </ObjectLink>{' '}
        <Link
          to="/admin/customers/$id"
          params={{ id: item.customerId }}
          className="rounded-sm text-muted-foreground underline underline-offset-4"
        >
          <Person name={item.customer} />
        </Link>
      </span>
      <span className="text-xs text-muted-foreground sm:w-24 sm:text-right">
        <Time at={item.timestamp} />
      </span>
      <span className="text-right sm:w-24">{item.amount ? <Usd amount={item.amount} /> : null}</span>
      <span className="flex sm:w-44 sm:justify-end">
        <StatusBadge look={activityLook(item)} />
      </span>
    </li>
  )
}
