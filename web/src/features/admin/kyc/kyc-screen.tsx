import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { IdCard } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AdminKyc } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { useNow } from '@/lib/clock'
import { MISSING, timeLeft } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { adminKyc as texts } from '@/messages/admin-kyc'
import { queue } from '@/messages/admin-queue'
import { records } from '@/messages/admin-records'
import { Fact } from '../shared/facts'
import { PhoneRow, phoneFrame, phoneLink } from '../shared/phone-row'
import { OpenText, Queue, QueueCard } from '../shared/queue'
import { Age, RowStatus } from '../shared/queue-cells'
import { shownStatus } from '../shared/queue-filter'
import type { Column } from '../shared/queue-table'
import { toCustomer, toWorkflow, useRowWork, whileDeciding } from '../shared/row-work'
import { type KycFilter, kycStandings } from './filters'
import { KycDecision, kycButtons } from './kyc-decision'
import { adminKycListQuery, kycSummaryQuery, standingLooks } from './queries'

interface AdminKycScreenProps {
  filter: KycFilter
  onFilter: (filter: KycFilter, replace: boolean) => void
}

/** The queue of identities. */
export function AdminKycScreen({ filter, onFilter }: AdminKycScreenProps) {
  const list = useInfiniteQuery(adminKycListQuery(filter))
  const summary = useQuery(kycSummaryQuery(filter))
  const phone = usePhone()
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: kycButtons,
    may: ({ actions }) => actions,
    busy: ({ decision }) => whileDeciding(decision),
    links: ({ id, workflowUrl }) => [toCustomer(queue.customer, id), ...toWorkflow(workflowUrl)],
    dialog: (one, action, close) =>
      action === 'details' ? null : <KycDecision one={one} action={action} onClose={close} />,
  })
  return (
    <Queue
      title={texts.title}
      legend={texts.standingFilter}
      failed={texts.fetchFailed}
      empty={texts.empty}
      icon={IdCard}
      list={list}
      summary={summary}
      value={shownStatus(filter.standing, filter.q, 'on_hold')}
      done={filter.standing || filter.q ? undefined : queue.nothingToDecide}
      choices={kycStandings}
      labels={texts.standing}
      counts={summary.data?.byStanding}
      onChoose={(standing) => onFilter({ ...filter, standing }, false)}
      search={{ id: 'kyc-search', value: filter.q, onChange: (q) => onFilter({ ...filter, q }, true) }}
      card={(one) =>
        phone ? (
          <Lines one={one} filter={filter} acts={work.phoneActs(one)} />
        ) : (
          <Row one={one} filter={filter} />
        )
      }
      dense={{ columns: columns(filter), nameOf }}
      work={work}
    />
  )
}

const nameOf = (one: AdminKyc) => one.customerName || one.customerEmail

const columns = (filter: KycFilter): readonly Column<AdminKyc>[] => [
  {
    key: 'customer',
    name: queue.customer,
    cell: (one) => (
      <Link
        to="/admin/kyc/$id"
        params={{ id: one.id }}
        search={filter}
        data-open
        className="rounded-sm font-medium underline-offset-4 hover:underline"
      >
        {nameOf(one)}
      </Link>
    ),
  },
  { key: 'email', name: queue.email, cell: ({ customerEmail }) => customerEmail },
  { key: 'country', name: texts.country, cell: ({ country }) => country || MISSING },
  { key: 'level', name: texts.level, cell: ({ level }) => texts.levels[level] },
  {
    key: 'reviewLevel',
    name: texts.reviewLevel,
    from: 'xl',
    cell: ({ reviewLevel }) => texts.levels[reviewLevel],
  },
  { key: 'began', name: texts.began, from: 'xl', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    key: 'age',
    name: records.waits,
    numeric: true,
    cell: ({ waitingSince }) => (waitingSince ? <Age since={waitingSince} /> : MISSING),
  },
  {
    key: 'status',
    name: queue.status,
    cell: (one) => <RowStatus look={standingLooks[one.standing]} underWay={Boolean(one.decision)} />,
  },
]

function Row({ one, filter }: { one: AdminKyc; filter: KycFilter }) {
  const now = useNow(60_000)
  const who = nameOf(one)
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

/** An identity on a phone. */
function Lines({ one, filter, acts }: { one: AdminKyc; filter: KycFilter; acts: ReactNode }) {
  return (
    <PhoneRow
      className={phoneFrame}
      title={
        <Link to="/admin/kyc/$id" params={{ id: one.id }} search={filter} data-open className={phoneLink}>
          {nameOf(one)}
        </Link>
      }
      figure={one.waitingSince ? <Age since={one.waitingSince} /> : null}
      about={
        <>
          {one.customerEmail} · {texts.levels[one.reviewLevel]}
          {one.country ? ` · ${one.country}` : ''} · <Time at={one.createdAt} />
        </>
      }
      badge={<RowStatus look={standingLooks[one.standing]} />}
      acts={acts}
    />
  )
}
