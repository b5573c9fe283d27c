import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { PackageCheck } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { AdminOrder, AdminOrdersSummary } from '@/api/types.gen'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { adminOrder as details, adminOrders as texts } from '@/messages/admin-order'
import { bulk as bulkTexts, proposals } from '@/messages/admin-proposals'
import { queue } from '@/messages/admin-queue'
import { statusLabels } from '@/messages/status'
import { Choose, fulfillable } from '../shared/bulk-choice'
import { FilterChips, Toggle } from '../shared/chips'
import { Counters, ListFrame, type ListQuery, SelectionBar } from '../shared/list-frame'
import { toCustomer, toWorkflow, useRowWork } from '../shared/row-work'
import { useSelection } from '../shared/use-selection'
import { useNeighbours } from '../shared/walk'
import { isAnswer } from './answers'
import { type AdminOrderFilter, orderStatuses } from './filters'
import { orderMay, orderRowButtons, orderRowButtonsOf } from './order-actions'
import { OrderCard, OrderLines } from './order-card'
import { orderColumns } from './order-row'
import { adminOrdersQuery, adminOrdersSummaryQuery } from './queries'

const OrderDecision = lazy(async () => ({ default: (await import('./order-decision')).OrderDecision }))

const ProposalAnswer = lazy(async () => ({ default: (await import('./proposals')).ProposalAnswer }))

const OrderDrawer = lazy(async () => ({ default: (await import('./order-drawer')).OrderDrawer }))

const BulkFulfil = lazy(async () => ({ default: (await import('./bulk-fulfil')).BulkFulfil }))

interface FilterProps {
  filter: AdminOrderFilter
  onFilter: (filter: AdminOrderFilter, replace: boolean) => void
}

interface AdminOrdersScreenProps extends FilterProps {
  /** The order that is open beside the list. */
  open: string | undefined
  onOpen: (id: string | undefined, replace: boolean) => void
}

export function AdminOrdersScreen({ filter, onFilter, open, onOpen }: AdminOrdersScreenProps) {
  const list = useInfiniteQuery(adminOrdersQuery(filter))
  const summary = useQuery(adminOrdersSummaryQuery(filter))
  const rows = rowsOf(list.data?.pages)
  const phone = usePhone()
  const { chosen, selection } = useSelection(rows, fulfillable)
  const [bulk, setBulk] = useState(false)
  const work = useRowWork({
    rows,
    nameOf,
    buttons: orderRowButtons,
    buttonsOf: orderRowButtonsOf,
    may: orderMay,
    busy: ({ decision }) => decision && texts.working,
    links: ({ id, userId, workflowUrl }) => [
      { label: details.details, link: { to: '/admin/orders/$id', params: { id } } },
      toCustomer(queue.customer, userId),
      ...toWorkflow(workflowUrl),
    ],
    dialog: (order, action, close) => {
      if (action === 'details') return null
      if (!isAnswer(action))
        return (
          <Suspense>
            <OrderDecision order={order} action={action} onClose={close} />
          </Suspense>
        )
      const { proposal } = order
      return proposal ? (
        <Suspense>
          <ProposalAnswer order={order} proposal={proposal} answer={action} onClose={close} />
        </Suspense>
      ) : null
    },
    together: (action) => (action === 'fulfill' && chosen.length > 1 ? () => setBulk(true) : undefined),
  })
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
        counters={<Counters figures={figures(summary.data)} wide={7} />}
        search={{
          name: 'q',
          id: 'orders-search',
          label: texts.search,
          placeholder: texts.searchPlaceholder,
          value: filter.q,
          className: 'md:w-72',
          onChange: (q) => onFilter({ ...filter, q }, true),
        }}
        filters={<Filters filter={filter} summary={summary.data} onFilter={onFilter} />}
        filtered={
          isWork(filter) ? Boolean(summary.data?.total) : filter.status !== 'all' || Boolean(filter.q)
        }
        done={isWork(filter) && summary.data?.total ? queue.nothingToDecide : undefined}
        failed={texts.fetchFailed}
        empty={{
          title: texts.empty,
          filteredHint: texts.emptyFiltered,
          firstHint: texts.emptyFirst,
          icon: PackageCheck,
        }}
        card={(order) => {
          const one = {
            order,
            search: { ...filter, open: order.id },
            choice: fulfillable(order) ? (
              <Choose
                order={order}
                on={selection.ids.has(order.id)}
                onChange={() => selection.onToggle(order)}
              />
            ) : null,
          }
          return phone ? (
            <OrderLines {...one} acts={work.phoneActs(order)} />
          ) : (
            <OrderCard {...one} onDecide={(action) => work.open(order, action)} />
          )
        }}
        dense={{
          columns: orderColumns(filter),
          nameOf,
        }}
        work={work}
        selection={selection}
        bulk={
          <SelectionBar n={chosen.length} onClear={() => selection.onAll(false)}>
            <Button size="sm" aria-keyshortcuts="f" onClick={() => setBulk(true)}>
              {bulkTexts.go(chosen.length)}
            </Button>
          </SelectionBar>
        }
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
          <BulkFulfil
            orders={chosen}
            onClose={() => {
              setBulk(false)
              selection.onAll(false)
            }}
          />
        </Suspense>
      ) : null}
    </>
  )
}

const nameOf = ({ reference }: AdminOrder) => reference

interface BesideProps {
  list: ListQuery<AdminOrder>
  open: string
  onGo: (id: string) => void
  onClose: () => void
}

/** The drawer, given its order's position in the list. */
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
    [counters.filled, count(summary?.filled)],
    [counters.sent, count(summary?.sent)],
    [
      counters.failed,
      <span key="failed" title={texts.failedMeans}>
        {count(summary?.failed)}
      </span>,
    ],
  ] as const
}

/** The list shows what can be acted on: nothing in its address says otherwise. */
const isWork = ({ status, q, attention, proposed }: AdminOrderFilter) =>
  !status && !q && !attention && !proposed

interface FiltersProps extends FilterProps {
  summary: AdminOrdersSummary | undefined
}

/** Failures alone, apart from what was cancelled, declined, expired or refunded. */
const failures: AdminOrderFilter = { status: 'failed', notEnded: true }

function Filters({ filter, summary, onFilter }: FiltersProps) {
  const open = useQuery(adminOrdersSummaryQuery(failures)).data
  return (
    <>
      <FilterChips
        legend={texts.statusFilter}
        value={filter.status === 'all' ? undefined : filter.status}
        first={{
          label: queue.toDecide,
          count: summary?.actionable,
          on: isWork(filter),
          onChoose: () => onFilter({ q: undefined, cols: filter.cols }, false),
        }}
        all={{ label: texts.all, count: null }}
        choices={orderStatuses}
        labels={statusLabels.order}
        counts={() => null}
        onChoose={(status) => onFilter({ ...filter, status: status ?? 'all', notEnded: undefined }, false)}
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
        <Toggle
          label={texts.toRetry}
          count={open?.matchingFilters}
          on={filter.notEnded === true}
          onChange={(on) =>
            onFilter(on ? { ...filter, ...failures } : { ...filter, notEnded: undefined }, false)
          }
        />
      </div>
    </>
  )
}
