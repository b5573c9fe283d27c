import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { PackageCheck } from 'lucide-react'
import { useState } from 'react'
import type { AdminOrder, AdminOrdersSummary } from '@/api/types.gen'
import { SearchBox } from '@/components/form/search-box'
import { count } from '@/lib/format'
import { adminOrders as texts } from '@/messages/admin'
import { proposals } from '@/messages/admin-order'
import { statusLabels } from '@/messages/status'
import { Chips, Toggle } from './chips'
import { type AdminOrderFilter, orderStatuses } from './filters'
import { Counters, ListFrame } from './list-frame'
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
  return (
    <>
      <ListFrame
        title={texts.title}
        list={list}
        onRefresh={() => {
          void list.refetch()
          void summary.refetch()
        }}
        counters={<Counters figures={figures(summary.data)} wide={6} />}
        filters={<Filters filter={filter} summary={summary.data} onFilter={onFilter} />}
        filtered={Boolean(filter.status || filter.attention || filter.proposed || filter.q)}
        failed={texts.fetchFailed}
        empty={{
          title: texts.empty,
          filteredHint: texts.emptyFiltered,
          firstHint: texts.emptyFirst,
          icon: PackageCheck,
        }}
        card={(order) => <OrderCard order={order} onDecide={(action) => setOpened({ order, action })} />}
      />
      {opened ? (
        <OrderDecision order={opened.order} action={opened.action} onClose={() => setOpened(undefined)} />
      ) : null}
    </>
  )
}

function figures(summary: AdminOrdersSummary | undefined) {
  const { counters } = texts
  return [
    [counters.total, count(summary?.total)],
    [counters.pending, count(summary?.pending)],
    [counters.payment_approved, count(summary?.approved)],
    [counters.fulfilling, count(summary?.fulfilling)],
    [counters.sent, count(summary?.sent)],
    [counters.failed, count(summary?.failed)],
  ] as const
}

interface FiltersProps extends AdminOrdersScreenProps {
  summary: AdminOrdersSummary | undefined
}

function Filters({ filter, summary, onFilter }: FiltersProps) {
  return (
    <>
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
      <Toggle
        label={proposals.filter}
        count={summary?.proposed}
        on={filter.proposed === true}
        onChange={(on) => onFilter({ ...filter, proposed: on ? true : undefined }, false)}
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
    </>
  )
}
