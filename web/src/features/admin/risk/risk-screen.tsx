import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RiskReview } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { PageHead } from '@/components/layout/page'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { count, titled, usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { proposals } from '@/messages/admin-proposals'
import { queue } from '@/messages/admin-queue'
import { riskReasons, adminRisk as texts } from '@/messages/admin-risk'
import { networkNames } from '@/messages/common'
import { Chips } from '../shared/chips'
import { Fact, Facts } from '../shared/facts'
import { Counters, ListFrame } from '../shared/list-frame'
import { Age, CustomerLink, Long, Opener, RiskScore, RowStatus, rowActs } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { RowDetails, useRowWork, whileDeciding } from '../shared/row-work'
import { type RiskFilter, riskViews } from './filters'
import { riskReviewsQuery, riskSummaryQuery } from './queries'
import { RiskActions, RiskDecision, RiskReasons, riskButtons } from './risk-decision'
import { AddressLists } from './risk-lists'
import { RiskRules } from './risk-rules'

interface AdminRiskScreenProps {
  filter: RiskFilter
  onFilter: (filter: RiskFilter) => void
}

/** What waits for compliance, what it decided, the rules, and the lists of addresses. */
export function AdminRiskScreen({ filter, onFilter }: AdminRiskScreenProps) {
  const view = filter.view ?? 'open'
  const summary = useQuery(riskSummaryQuery)
  const chips = (
    <Chips
      legend={texts.view}
      value={view}
      onChange={(chosen) => onFilter({ ...filter, view: chosen === 'open' ? undefined : chosen })}
      chips={riskViews.map((value) => ({
        value,
        label: texts.views[value],
        count: value === 'open' ? summary.data?.open : null,
      }))}
    />
  )
  if (view === 'open' || view === 'closed') return <Reviews view={view} chips={chips} />
  return (
    <>
      <PageHead title={texts.title} />
      <div className="my-5">{chips}</div>
      {view === 'rules' ? <RiskRules /> : <AddressLists />}
    </>
  )
}

function Reviews({ view, chips }: { view: 'open' | 'closed'; chips: ReactNode }) {
  const list = useInfiniteQuery(riskReviewsQuery(view))
  const summary = useQuery(riskSummaryQuery)
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf,
    buttons: riskButtons,
    may: ({ actions }) => actions,
    busy: ({ deciding }) => whileDeciding(deciding),
    links: ({ kind, objectId: id }) =>
      kind === 'order'
        ? [{ label: texts.kinds.order, link: { to: '/admin/orders/$id', params: { id } } }]
        : [],
    dialog: (review, action, close) =>
      action === 'details' ? (
        <RowDetails title={review.reference} onClose={close}>
          <ReviewCard review={review} />
        </RowDetails>
      ) : (
        <RiskDecision review={review} action={action} onClose={close} />
      ),
  })
  return (
    <ListFrame
      title={texts.title}
      list={list}
      summary={summary}
      counters={
        <Counters
          wide={5}
          figures={[
            [texts.stats.open, count(summary.data?.open)],
            [
              texts.stats.oldest,
              summary.data?.oldest ? <Time key="at" at={summary.data.oldest} /> : texts.none,
            ],
          ]}
        />
      }
      filters={null}
      aside={chips}
      filtered={false}
      failed={texts.fetchFailed}
      empty={{
        title: view === 'open' ? texts.empty : texts.emptyClosed,
        filteredHint: texts.emptyHint,
        firstHint: texts.emptyHint,
        icon: ShieldAlert,
      }}
      card={(review) => <ReviewCard review={review} />}
      dense={{ columns: columns((review) => work.open(review, 'details')), nameOf }}
      work={work}
    />
  )
}

const nameOf = ({ reference }: RiskReview) => reference

const columns = (onOpen: (review: RiskReview) => void): readonly Column<RiskReview>[] => [
  {
    key: 'reference',
    name: queue.reference,
    cell: (review) => <Opener onOpen={() => onOpen(review)}>{review.reference}</Opener>,
  },
  {
    key: 'customer',
    name: texts.customer,
    cell: ({ userId, customerEmail }) => <CustomerLink id={userId} name={customerEmail} />,
  },
  {
    key: 'total',
    name: texts.amount,
    numeric: true,
    cell: ({ total }) => <span className="font-medium">{usd(total)}</span>,
  },
  {
    key: 'score',
    name: texts.score,
    numeric: true,
    cell: ({ score }) => <RiskScore risk={{ score, underReview: false }} />,
  },
  {
    key: 'why',
    name: texts.why,
    cell: ({ reasons }) => <Long text={reasons.map((reason) => riskReasons[reason]).join('; ')} />,
  },
  { key: 'stands', name: texts.stands, from: '2xl', cell: ({ status }) => status },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, outcome }) => <Age since={createdAt} waits={!outcome} />,
  },
  {
    key: 'status',
    name: queue.status,
    cell: (review) => <RowStatus look={lookOf(review)} underWay={review.deciding} />,
  },
]

const looks: Record<'released' | 'refused' | 'ended', StatusLook> = {
  released: { label: texts.looks.released, tone: 'success' },
  refused: { label: texts.looks.refused, tone: 'danger' },
  ended: { label: texts.looks.ended, tone: 'neutral', ended: true },
}

function lookOf(review: RiskReview): StatusLook {
  if (review.outcome) return looks[review.outcome]
  return review.waits ? { label: texts.waits, tone: 'pending' } : { label: texts.looks.open, tone: 'neutral' }
}

function ReviewCard({ review }: { review: RiskReview }) {
  return (
    <article aria-label={review.reference} className="rounded-lg border bg-card p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base">
            {texts.kinds[review.kind]} {review.reference}
          </h2>
          <p className="text-xs text-muted-foreground">
            {texts.score} {review.score}
          </p>
        </div>
        <StatusBadge look={lookOf(review)} />
      </div>
      <h3 className="text-xs font-normal text-muted-foreground">{texts.why}</h3>
      <RiskReasons reasons={review.reasons} className="mt-1 mb-3 text-sm" />
      <ReviewFacts review={review} />
      <div className={rowActs}>
        <RiskActions review={review} />
        {review.deciding ? <span className="text-sm text-muted-foreground">{texts.underWay}</span> : null}
      </div>
    </article>
  )
}

const linked = 'rounded-sm text-primary hover:underline'

function ReviewFacts({ review }: { review: RiskReview }) {
  return (
    <Facts>
      <Fact name={texts.customer}>
        <Link to="/admin/customers/$id" params={{ id: review.userId }} className={linked}>
          {review.customerEmail}
        </Link>
      </Fact>
      <Fact name={texts.amount}>
        {review.amount} {review.asset} · {usd(review.total)}
      </Fact>
      <Fact name={texts.address} wide>
        <Copyable text={review.destAddress} what={texts.address} />{' '}
        {networkNames[review.network] ?? review.network}
      </Fact>
      <Fact name={texts.stands}>
        {review.kind === 'order' ? (
          <Link to="/admin/orders/$id" params={{ id: review.objectId }} className={linked}>
            {titled(review.status)}
          </Link>
        ) : (
          titled(review.status)
        )}
        {review.outcome || review.waits ? null : ` – ${texts.notPaid}`}
      </Fact>
      <Fact name={texts.since}>
        <Time at={review.createdAt} />
      </Fact>
      {review.firstBy && !review.outcome ? (
        <Fact name={proposals.badge}>{proposals.firstRelease(review.firstBy)}</Fact>
      ) : null}
      {review.decidedBy ? <Fact name={texts.decidedBy}>{review.decidedBy}</Fact> : null}
      {review.reason ? <Fact name={texts.reasonGiven}>{review.reason}</Fact> : null}
    </Facts>
  )
}
