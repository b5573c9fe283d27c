import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Layers, Ticket, X } from 'lucide-react'
import { voucherCurrencies } from '@/api/lists.gen'
import type { AdminVoucher, VouchersSummary } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { worthOf } from '@/features/vouchers/queries'
import { count, day, MISSING } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { queue } from '@/messages/admin-queue'
import { adminVoucherStatus as labels, adminVouchers as texts } from '@/messages/admin-vouchers'
import { useSold } from '../shared/book'
import { FilterChips } from '../shared/chips'
import { Choice } from '../shared/choice'
import { Counters, ListFrame } from '../shared/list-frame'
import { Age, CustomerLink, RowStatus, rowLink } from '../shared/queue-cells'
import type { Column } from '../shared/queue-table'
import { toWorkflow, useRowWork, whileDeciding } from '../shared/row-work'
import { type VoucherFilter, voucherStates } from './filters'
import { adminVouchersQuery, opensOnVouchers, vouchersSummaryQuery } from './queries'
import { batchName, codeOf, VoucherCard, VoucherDecision, voucherButtons, voucherLooks } from './voucher-card'
import { VoucherGenerate } from './voucher-generate'

interface VouchersScreenProps {
  filter: VoucherFilter
  onFilter: (filter: VoucherFilter, replace: boolean) => void
}

export function AdminVouchersScreen({ filter, onFilter }: VouchersScreenProps) {
  const list = useInfiniteQuery(adminVouchersQuery(filter))
  const summary = useQuery(vouchersSummaryQuery(filter))
  const mayGenerate = useSignedInUser().permissions.includes('configure')
  const work = useRowWork({
    rows: rowsOf(list.data?.pages),
    nameOf: ({ reference }) => reference,
    buttons: voucherButtons,
    may: ({ actions }) => actions,
    busy: ({ decision }) => whileDeciding(decision),
    links: ({ redemption }) => toWorkflow(redemption?.workflowUrl),
    dialog: (voucher, action, close) =>
      action === 'details' ? null : <VoucherDecision voucher={voucher} action={action} onClose={close} />,
  })
  return (
    <ListFrame
      title={texts.title}
      list={list}
      summary={summary}
      counters={
        <>
          <Counters figures={figures(summary.data)} wide={5} />
          {mayGenerate ? <VoucherGenerate /> : null}
        </>
      }
      search={{
        name: 'q',
        id: 'voucher-search',
        label: texts.searchLabel,
        placeholder: texts.search,
        value: filter.q,
        className: 'md:w-80',
        onChange: (q) => onFilter({ ...filter, q }, true),
      }}
      aside={
        <Link to="/admin/vouchers/batches" className={buttonVariants({ variant: 'outline' })}>
          <Layers aria-hidden />
          {texts.batches}
        </Link>
      }
      filters={
        <>
          <FilterChips
            legend={texts.statusFilter}
            value={filter.status === 'all' ? undefined : filter.status}
            first={{
              label: queue.toDecide,
              count: summary.data?.actionable,
              on: opensOnVouchers(filter),
              onChoose: () => onFilter({ currency: filter.currency, cols: filter.cols }, false),
            }}
            all={{ label: texts.all, count: summary.data?.total }}
            choices={voucherStates}
            labels={{ ...labels, waiting: texts.stats.waiting }}
            counts={(status) => (status === 'waiting' ? null : summary.data?.byStatus[status])}
            onChoose={(status) => onFilter({ ...filter, status: status ?? 'all' }, false)}
          />
          <Narrow filter={filter} onFilter={onFilter} />
        </>
      }
      filtered={filter.status !== 'all' || Boolean(filter.q || filter.currency || filter.batch)}
      failed={texts.fetchFailed}
      empty={{
        title: texts.empty,
        filteredHint: texts.emptyFiltered,
        firstHint: texts.emptyHint,
        icon: Ticket,
      }}
      card={(voucher) => <VoucherCard voucher={voucher} />}
      dense={{
        columns,
        nameOf: ({ reference }) => reference,
      }}
      work={work}
    />
  )
}

const columns: readonly Column<AdminVoucher>[] = [
  {
    key: 'reference',
    name: queue.reference,
    cell: ({ batchId, reference }) => (
      <Link to="/admin/vouchers/batches/$id" params={{ id: batchId }} data-open className={rowLink}>
        {reference}
      </Link>
    ),
  },
  { key: 'code', name: queue.code, cell: ({ last4 }) => codeOf(last4) },
  { key: 'worth', name: queue.value, numeric: true, cell: (voucher) => worthOf(voucher) },
  {
    key: 'redeemer',
    name: texts.redeemer,
    cell: ({ redemption }) =>
      redemption ? <CustomerLink id={redemption.userId} name={redemption.customer} /> : MISSING,
  },
  { key: 'by', name: texts.by, from: '2xl', cell: ({ createdBy }) => createdBy },
  { key: 'expires', name: texts.expires, from: '2xl', cell: ({ expiresAt }) => day(expiresAt) },
  {
    key: 'age',
    name: queue.age,
    numeric: true,
    cell: ({ createdAt, waitsSince }) => <Age since={waitsSince ?? createdAt} waits={Boolean(waitsSince)} />,
  },
  {
    key: 'status',
    name: queue.status,
    cell: ({ status, decision }) => <RowStatus look={voucherLooks[status]} underWay={Boolean(decision)} />,
  },
]

/** Currency, and the batch of the link. */
function Narrow({ filter, onFilter }: VouchersScreenProps) {
  const offered = voucherCurrencies.filter(useSold())
  return (
    <div className="flex w-full flex-wrap items-end gap-4 md:w-auto">
      {filter.batch ? (
        <Button variant="outline" onClick={() => onFilter({ ...filter, batch: undefined }, false)}>
          {texts.batch} <span className="font-mono">{batchName(filter.batch)}</span>
          <X aria-hidden />
          <span className="sr-only">{texts.anyBatch}</span>
        </Button>
      ) : null}
      <div className="w-full md:w-32">
        <Choice
          id="voucher-currency-filter"
          label={texts.currency}
          value={filter.currency}
          choices={offered}
          all={texts.anyCurrency}
          onChoose={(currency) => onFilter({ ...filter, currency }, false)}
        />
      </div>
    </div>
  )
}

/** specification §2's statistics, computed. */
function figures(summary: VouchersSummary | undefined) {
  const { stats } = texts
  return [
    [stats.today, count(summary?.redeemedToday)],
    [stats.value, <Usd key="value" amount={summary?.totalValue} />],
    [stats.outstanding, <Usd key="outstanding" amount={summary?.outstandingValue} />],
    [stats.rate, summary?.successRate ? `${summary.successRate} %` : MISSING],
    [stats.waiting, count(summary?.waiting)],
  ] as const
}
