import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { AlarmClock, CreditCard } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { PaymentsSummary, PendingPayment } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Label, Select } from '@/components/ui/input'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { admin } from '@/messages/admin'
import { adminPayments as texts } from '@/messages/admin-payments'
import { bulkRun, queue } from '@/messages/admin-queue'
import { records } from '@/messages/admin-records'
import { methodLabels } from '@/messages/common'
import { FilterChips } from '../shared/chips'
import { Counters, ListFrame, SelectionBar } from '../shared/list-frame'
import { toCustomer, useRowWork } from '../shared/row-work'
import { useSelection } from '../shared/use-selection'
import { type PaymentFilter, paymentStatuses } from './filters'
import { paymentBusy, paymentButtons, paymentMay } from './payment-actions'
import { PaymentCard, PaymentLines } from './payment-card'
import { type PaymentAction, PaymentDecision } from './payment-decision'
import { PaymentDetails } from './payment-details'
import { paymentColumns } from './payment-row'
import { paymentsQuery, paymentsSummaryQuery } from './queries'

const BulkProcess = lazy(async () => ({ default: (await import('./bulk-process')).BulkProcess }))

interface PaymentsScreenProps {
  filter: PaymentFilter
  onFilter: (filter: PaymentFilter) => void
}

const nameOf = ({ tradeHash }: PendingPayment) => tradeHash

const canProcess = (payment: PendingPayment) =>
  payment.actions.includes('process') && payment.stripePaymentIntentId !== null && !payment.decision

export function PaymentsScreen({ filter, onFilter }: PaymentsScreenProps) {
  const list = useInfiniteQuery(paymentsQuery(filter))
  const summary = useQuery(paymentsSummaryQuery(filter))
  const [bulk, setBulk] = useState(false)
  const rows = rowsOf(list.data?.pages)
  const phone = usePhone()
  const { chosen, selection } = useSelection(rows, canProcess)
  const work = useRowWork({
    rows,
    nameOf,
    buttons: paymentButtons,
    may: paymentMay,
    busy: (payment) => paymentBusy(payment) && admin.processing,
    links: (payment) => [
      { label: texts.details, run: () => work.open(payment, 'details') },
      { label: texts.order, link: { to: '/admin/orders/$id', params: { id: payment.orderId } } },
      toCustomer(texts.customer, payment.customerId),
    ],
    dialog: (payment, action, close) =>
      action === 'details' ? (
        <PaymentDetails payment={payment} onClose={close} />
      ) : (
        <PaymentDecision payment={payment} action={action} onClose={close} />
      ),
    together: (action) => (action === 'process' && chosen.length > 1 ? () => setBulk(true) : undefined),
  })
  return (
    <>
      <ListFrame
        title={texts.title}
        list={list}
        summary={summary}
        counters={
          <>
            <Counters figures={figures(summary.data)} wide={5} />
            <EndingSoon holds={summary.data?.expiring ?? 0} />
          </>
        }
        filters={<Filters filter={filter} summary={summary.data} onFilter={onFilter} />}
        filtered={(filter.status ?? 'all') !== 'all' || Boolean(filter.method)}
        failed={texts.fetchFailed}
        empty={{
          title: texts.empty,
          filteredHint: records.emptyFiltered,
          firstHint: texts.emptyHint(summary.data?.waiting ?? 0),
          icon: CreditCard,
        }}
        card={(payment) => {
          const one = { payment, onOpen: (as: PaymentAction | 'details') => work.open(payment, as) }
          return phone ? <PaymentLines {...one} acts={work.phoneActs(payment)} /> : <PaymentCard {...one} />
        }}
        dense={{
          columns: paymentColumns(filter.status, (payment) => work.open(payment, 'details')),
          nameOf,
        }}
        work={work}
        selection={selection}
        bulk={
          <SelectionBar n={chosen.length} onClear={() => selection.onAll(false)}>
            <Button size="sm" aria-keyshortcuts="p" onClick={() => setBulk(true)}>
              {bulkRun.process(chosen.length)}
            </Button>
          </SelectionBar>
        }
      />
      {bulk ? (
        <Suspense>
          <BulkProcess
            payments={chosen}
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

function figures(summary: PaymentsSummary | undefined) {
  const { stats } = texts
  return [
    [stats.total, count(summary?.total)],
    [stats.pending, count(summary?.pending)],
    [stats.approved, count(summary?.approved)],
    [stats.declined, count(summary?.declined)],
    [stats.totalValue, <Usd key="value" amount={summary?.totalValue} />],
  ] as const
}

/** Holds on cards that expire soon: shown in time for a decision. */
function EndingSoon({ holds }: { holds: number }) {
  if (holds === 0) return null
  return (
    <Notice tone="danger" icon={AlarmClock} role="status" title={texts.expiring(holds)} className="mt-4">
      {texts.expiringText}
    </Notice>
  )
}

interface FiltersProps extends PaymentsScreenProps {
  summary: PaymentsSummary | undefined
}

function Filters({ filter, summary, onFilter }: FiltersProps) {
  return (
    <>
      <FilterChips
        legend={texts.statusFilter}
        value={filter.status === 'all' ? undefined : filter.status}
        first={{
          label: queue.toDecide,
          count: summary?.actionable,
          on: filter.status === undefined,
          onChoose: () => onFilter({ ...filter, status: undefined }),
        }}
        all={{ label: texts.filters.all, count: summary?.total }}
        choices={paymentStatuses}
        labels={texts.filters}
        counts={(status) => summary?.[status]}
        onChoose={(status) => onFilter({ ...filter, status: status ?? 'all' })}
      />
      <MethodFilter filter={filter} summary={summary} onFilter={onFilter} />
    </>
  )
}

function MethodFilter({ filter, summary, onFilter }: FiltersProps) {
  const methods = summary?.methods ?? []
  const known = !filter.method || methods.some((choice) => choice.method === filter.method)
  return (
    <div className="flex w-full items-center gap-2 max-md:flex-wrap md:w-auto">
      <Label htmlFor="payment-method" className="lg:sr-only">
        {texts.methodFilter}
      </Label>
      <Select
        id="payment-method"
        value={filter.method ?? 'all'}
        onChange={(event) =>
          onFilter({ ...filter, method: event.target.value === 'all' ? undefined : event.target.value })
        }
      >
        <option value="all">{texts.allMethods}</option>
        {known ? null : (
          <option value={filter.method}>{methodLabels[filter.method ?? ''] ?? filter.method}</option>
        )}
        {methods.map((choice) => (
          <option key={choice.method} value={choice.method}>
            {methodLabels[choice.method] ?? choice.method} ({count(choice.count)})
          </option>
        ))}
      </Select>
    </div>
  )
}
