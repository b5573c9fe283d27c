import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { PackageCheck } from 'lucide-react'
import { useState } from 'react'
import type { AdminOrder, AdminOrdersSummary } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { SearchBox } from '@/components/form/search-box'
import { PageHead } from '@/components/layout/page'
import { Stat } from '@/components/money/money'
import { Failed, LoadingRows, NothingFound, NothingYet } from '@/components/states/states'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { adminOrders as texts } from '@/messages/admin'
import { statusLabels } from '@/messages/status'
import { Chips, Toggle } from './chips'
import { type AdminOrderFilter, orderStatuses } from './filters'
import { Freshness } from './freshness'
import { OrderCard } from './order-card'
import { type OrderAction, OrderDecision } from './order-decision'
import { adminOrdersQuery, adminOrdersSummaryQuery } from './queries'

interface AdminOrdersScreenProps {
  filter: AdminOrderFilter
  onFilter: (filter: AdminOrderFilter, replace: boolean) => void
}

export function AdminOrdersScreen({ filter, onFilter }: AdminOrdersScreenProps) {
  const list = useInfiniteQuery(adminOrdersQuery(filter))
  const summary = useQuery(adminOrdersSummaryQuery(filter))
  const [opened, setOpened] = useState<{ order: AdminOrder; action: OrderAction }>()
  const rows = rowsOf(list.data?.pages)
  const filtered = Boolean(filter.status || filter.attention || filter.q)
  const refresh = () => {
    void list.refetch()
    void summary.refetch()
  }
  return (
    <>
      <PageHead
        title={texts.title}
        actions={<Freshness updatedAt={list.dataUpdatedAt} busy={list.isFetching} onRefresh={refresh} />}
      />
      <Counters summary={summary.data} />
      <Filters filter={filter} summary={summary.data} onFilter={onFilter} />
      {list.error ? (
        <Failed className="mb-4" title={texts.fetchFailed} error={list.error} retry={refresh} />
      ) : null}
      {list.isPending ? <LoadingRows rows={3} /> : null}
      {list.isSuccess && rows.length === 0 ? (
        <div className="rounded-lg border bg-card">
          {filtered ? (
            <NothingFound title={texts.empty} hint={texts.emptyFiltered} />
          ) : (
            <NothingYet icon={PackageCheck} title={texts.empty} hint={texts.emptyFirst} />
          )}
        </div>
      ) : null}
      <ul className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {rows.map((order) => (
          <li key={order.id}>
            <OrderCard order={order} onDecide={(action) => setOpened({ order, action })} />
          </li>
        ))}
      </ul>
      <MoreButton query={list} />
      {opened ? (
        <OrderDecision order={opened.order} action={opened.action} onClose={() => setOpened(undefined)} />
      ) : null}
    </>
  )
}

function Counters({ summary }: { summary: AdminOrdersSummary | undefined }) {
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Stat name={texts.counters.total}>{count(summary?.total)}</Stat>
      <Stat name={texts.counters.pending}>{count(summary?.pending)}</Stat>
      <Stat name={texts.counters.payment_approved}>{count(summary?.approved)}</Stat>
      <Stat name={texts.counters.fulfilling}>{count(summary?.fulfilling)}</Stat>
      <Stat name={texts.counters.sent}>{count(summary?.sent)}</Stat>
      <Stat name={texts.counters.failed}>{count(summary?.failed)}</Stat>
    </dl>
  )
}

interface FiltersProps extends AdminOrdersScreenProps {
  summary: AdminOrdersSummary | undefined
}

function Filters({ filter, summary, onFilter }: FiltersProps) {
  return (
    <div className="my-5 flex flex-wrap items-end justify-between gap-4">
      <Chips
        legend={texts.statusFilter}
        value={filter.status ?? 'all'}
        onChange={(status) => onFilter({ ...filter, status: status === 'all' ? undefined : status }, false)}
        chips={[
          { value: 'all', label: texts.all, count: summary?.total },
          ...orderStatuses.map((status) => ({
            value: status,
            label: statusLabels.order[status],
            count: status === 'payment_approved' ? summary?.approved : summary?.[status],
          })),
        ]}
      />
      <Toggle
        label={texts.attention}
        count={summary?.needsAttention}
        on={filter.attention === true}
        onChange={(on) => onFilter({ ...filter, attention: on ? true : undefined }, false)}
      />
      <div className="w-full md:w-96">
        <SearchBox
          id="orders-search"
          label={texts.search}
          placeholder={texts.searchPlaceholder}
          value={filter.q ?? ''}
          onChange={(q) => onFilter({ ...filter, q: q || undefined }, true)}
        />
      </div>
    </div>
  )
}
