import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { PackageCheck } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { AdminOrder, AdminOrdersSummary } from '@/api/types.gen'
import { SearchBox } from '@/components/form/search-box'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { adminOrders as texts } from '@/messages/admin'
import { proposals } from '@/messages/admin-order'
import { statusLabels } from '@/messages/status'
import { ChoiceBar, Choose, fulfillable } from './bulk-choice'
import { FilterChips, Toggle } from './chips'
import { type AdminOrderFilter, orderStatuses } from './filters'
import { Counters, ListFrame, type ListQuery } from './list-frame'
import { OrderCard } from './order-card'
import { type OrderAction, OrderDecision } from './order-decision'
import { adminOrdersQuery, adminOrdersSummaryQuery } from './queries'
import { useNeighbours } from './walk'

const OrderDrawer = lazy(async () => ({ default: (await import('./order-drawer')).OrderDrawer }))

const BulkFulfil = lazy(async () => ({ default: (await import('./bulk-fulfil')).BulkFulfil }))

interface FilterProps {
  filter: AdminOrderFilter
  onFilter: (filter: AdminOrderFilter, replace: boolean) => void
}

interface AdminOrdersScreenProps extends FilterProps {
  /** The order that is looked at beside the list. */
  open: string | undefined
  onOpen: (id: string | undefined, replace: boolean) => void
}

export function AdminOrdersScreen({ filter, onFilter, open, onOpen }: AdminOrdersScreenProps) {
  const list = useInfiniteQuery(adminOrdersQuery(filter))
  const summary = useQuery(adminOrdersSummaryQuery(filter))
  const [opened, setOpened] = useState<{ order: AdminOrder; action: OrderAction }>()
  const possible = rowsOf(list.data?.pages).filter(fulfillable)
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = possible.filter((order) => ids.has(order.id))
  const [bulk, setBulk] = useState(false)
  // Opened from the list, closing is going back to it; an address that came with an order open has no list behind it.
  const { history } = useRouter()
  const listBehind = useRef(false)
  useEffect(() => {
    if (!open) listBehind.current = true
  }, [open])
  return (
    <>
      <ListFrame
        title={texts.title}
        list={list}
        summary={summary}
        counters={<Counters figures={figures(summary.data)} wide={6} />}
        filters={
          <>
            <Filters filter={filter} summary={summary.data} onFilter={onFilter} />
            <ChoiceBar chosen={chosen} possible={possible} onChoose={setIds} onFulfil={() => setBulk(true)} />
          </>
        }
        filtered={Boolean(filter.status || filter.attention || filter.proposed || filter.q)}
        failed={texts.fetchFailed}
        empty={{
          title: texts.empty,
          filteredHint: texts.emptyFiltered,
          firstHint: texts.emptyFirst,
          icon: PackageCheck,
        }}
        card={(order) => (
          <OrderCard
            order={order}
            search={{ ...filter, open: order.id }}
            onDecide={(action) => setOpened({ order, action })}
            choice={
              possible.length > 1 && possible.includes(order) ? (
                <Choose
                  order={order}
                  on={ids.has(order.id)}
                  onChange={(on) => setIds(toggled(ids, order.id, on))}
                />
              ) : null
            }
          />
        )}
      />
      {open ? (
        <Suspense>
          <Beside
            list={list}
            open={open}
            onGo={(id) => onOpen(id, true)}
            onClose={() => (listBehind.current ? history.back() : onOpen(undefined, true))}
          />
        </Suspense>
      ) : null}
      {bulk ? (
        <Suspense>
          <BulkFulfil orders={chosen} onClose={() => setBulk(false)} />
        </Suspense>
      ) : null}
      {opened ? (
        <OrderDecision order={opened.order} action={opened.action} onClose={() => setOpened(undefined)} />
      ) : null}
    </>
  )
}

function toggled(ids: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  const now = new Set(ids)
  if (on) now.add(id)
  else now.delete(id)
  return now
}

interface BesideProps {
  list: ListQuery<AdminOrder>
  open: string
  onGo: (id: string) => void
  onClose: () => void
}

/** The drawer, told where its order stands. */
function Beside({ list, open, onGo, onClose }: BesideProps) {
  return <OrderDrawer id={open} neighbours={useNeighbours(list, open)} onGo={onGo} onClose={onClose} />
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

interface FiltersProps extends FilterProps {
  summary: AdminOrdersSummary | undefined
}

function Filters({ filter, summary, onFilter }: FiltersProps) {
  return (
    <>
      <FilterChips
        legend={texts.statusFilter}
        value={filter.status}
        all={{ label: texts.all, count: summary?.total }}
        choices={orderStatuses}
        labels={statusLabels.order}
        counts={(status) => (status === 'payment_approved' ? summary?.approved : summary?.[status])}
        onChoose={(status) => onFilter({ ...filter, status }, false)}
      />
      <div className="flex flex-wrap gap-2">
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
      </div>
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
