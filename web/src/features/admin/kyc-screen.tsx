import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { IdCard } from 'lucide-react'
import type { AdminKyc, KycSummary } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { count } from '@/lib/format'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { Chips } from './chips'
import { Fact, Facts } from './facts'
import { type KycFilter, kycStandings } from './filters'
import { adminKycListQuery, kycSummaryQuery, standingLooks } from './kyc-queries'
import { Counters, ListFrame } from './list-frame'

interface AdminKycScreenProps {
  filter: KycFilter
  onFilter: (filter: KycFilter) => void
}

/** The queue of identities. */
export function AdminKycScreen({ filter, onFilter }: AdminKycScreenProps) {
  const list = useInfiniteQuery(adminKycListQuery(filter))
  const summary = useQuery(kycSummaryQuery(filter))
  return (
    <ListFrame
      title={texts.title}
      list={list}
      onRefresh={() => {
        void list.refetch()
        void summary.refetch()
      }}
      counters={<Counters figures={figures(summary.data)} wide={5} />}
      filters={
        <Chips
          legend={texts.standingFilter}
          value={filter.standing ?? 'all'}
          onChange={(standing) => onFilter({ standing: standing === 'all' ? undefined : standing })}
          chips={[
            { value: 'all', label: texts.all, count: summary.data?.total },
            ...kycStandings.map((standing) => ({
              value: standing,
              label: texts.standing[standing],
              count: summary.data?.byStanding[standing],
            })),
          ]}
        />
      }
      filtered={Boolean(filter.standing)}
      failed={texts.fetchFailed}
      empty={{ title: texts.empty, filteredHint: texts.emptyFiltered, icon: IdCard }}
      card={(one) => <Row one={one} />}
    />
  )
}

function figures(summary: KycSummary | undefined) {
  const { stats } = texts
  return [
    [stats.total, count(summary?.total)],
    [stats.on_hold, count(summary?.byStanding.on_hold)],
    [stats.pending, count(summary?.byStanding.pending)],
    [stats.approved, count(summary?.byStanding.approved)],
    [stats.rejected, count(summary?.byStanding.rejected)],
  ] as const
}

function Row({ one }: { one: AdminKyc }) {
  const who = one.customerName || one.customerEmail
  return (
    <article aria-label={who} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base wrap-anywhere">{who}</h2>
          <p className="text-xs text-muted-foreground wrap-anywhere">{one.customerEmail}</p>
        </div>
        <StatusBadge look={standingLooks[one.standing]} />
      </div>
      <Facts>
        <Fact name={texts.level}>{texts.levels[one.level]}</Fact>
        <Fact name={texts.reviewLevel}>{texts.levels[one.reviewLevel]}</Fact>
        <Fact name={texts.country}>{one.country || '—'}</Fact>
        <Fact name={texts.began}>
          <Time at={one.createdAt} />
        </Fact>
      </Facts>
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Link
          to="/admin/kyc/$id"
          params={{ id: one.id }}
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          {texts.open}
          <span className="sr-only"> {who}</span>
        </Link>
        {one.decision ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
    </article>
  )
}
