import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { IdCard } from 'lucide-react'
import type { AdminKyc, KycSummary } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { useNow } from '@/lib/clock'
import { count, timeLeft } from '@/lib/format'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { records } from '@/messages/admin-records'
import { Fact } from './facts'
import { type KycFilter, kycStandings } from './filters'
import { adminKycListQuery, kycSummaryQuery, standingLooks } from './kyc-queries'
import { OpenText, Queue, QueueCard } from './queue'

interface AdminKycScreenProps {
  filter: KycFilter
  onFilter: (filter: KycFilter, replace: boolean) => void
}

/** The queue of identities. */
export function AdminKycScreen({ filter, onFilter }: AdminKycScreenProps) {
  const list = useInfiniteQuery(adminKycListQuery(filter))
  const summary = useQuery(kycSummaryQuery(filter))
  return (
    <Queue
      title={texts.title}
      legend={texts.standingFilter}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={IdCard}
      list={list}
      summary={summary}
      figures={figures(summary.data)}
      value={filter.standing}
      choices={kycStandings}
      labels={texts.standing}
      counts={summary.data?.byStanding}
      onChoose={(standing) => onFilter({ ...filter, standing }, false)}
      search={{ id: 'kyc-search', value: filter.q, onChange: (q) => onFilter({ ...filter, q }, true) }}
      card={(one) => <Row one={one} filter={filter} />}
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

function Row({ one, filter }: { one: AdminKyc; filter: KycFilter }) {
  const now = useNow(60_000)
  const who = one.customerName || one.customerEmail
  return (
    <QueueCard
      name={who}
      title={who}
      code={one.customerEmail}
      look={standingLooks[one.standing]}
      facts={
        <>
          <Fact name={texts.level}>{texts.levels[one.level]}</Fact>
          <Fact name={texts.reviewLevel}>{texts.levels[one.reviewLevel]}</Fact>
          <Fact name={texts.country}>{one.country || '—'}</Fact>
          <Fact name={texts.began}>
            <Time at={one.createdAt} />
          </Fact>
          {one.waitingSince ? (
            <Fact name={records.waits}>{timeLeft(now - Date.parse(one.waitingSince))}</Fact>
          ) : null}
        </>
      }
      open={
        <Link
          to="/admin/kyc/$id"
          params={{ id: one.id }}
          search={filter}
          data-open
          className={buttonVariants({ variant: 'outline', size: 'sm' })}
        >
          <OpenText name={who} />
        </Link>
      }
      underWay={Boolean(one.decision)}
    />
  )
}
