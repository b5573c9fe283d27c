import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { AlarmClock, CreditCard } from 'lucide-react'
import { useState } from 'react'
import type { PaymentsSummary, PendingPayment } from '@/api/types.gen'
import { Usd } from '@/components/money/money'
import { Notice } from '@/components/states/states'
import { Label, Select } from '@/components/ui/input'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { adminOrders, adminPayments as texts } from '@/messages/admin'
import { methodLabels } from '@/messages/common'
import { FilterChips } from './chips'
import { type PaymentFilter, paymentStatuses } from './filters'
import { Counters, ListFrame } from './list-frame'
import { PaymentCard } from './payment-card'
import { type PaymentAction, PaymentDecision } from './payment-decision'
import { PaymentDetails } from './payment-details'
import { paymentsQuery, paymentsSummaryQuery } from './queries'

interface PaymentsScreenProps {
  filter: PaymentFilter
  onFilter: (filter: PaymentFilter) => void
}

type Opened = { payment: PendingPayment; as: PaymentAction | 'details' }

export function PaymentsScreen({ filter, onFilter }: PaymentsScreenProps) {
  const list = useInfiniteQuery(paymentsQuery(filter))
  const summary = useQuery(paymentsSummaryQuery(filter))
  const [opened, setOpened] = useState<Opened>()
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
        filtered={Boolean(filter.status || filter.method)}
        failed={texts.fetchFailed}
        empty={{ title: texts.empty, filteredHint: adminOrders.emptyFiltered, icon: CreditCard }}
        card={(payment) => <PaymentCard payment={payment} onOpen={(as) => setOpened({ payment, as })} />}
      />
      {opened ? (
        <Dialogs opened={opened} rows={rowsOf(list.data?.pages)} onClose={() => setOpened(undefined)} />
      ) : null}
    </>
  )
}

interface DialogsProps {
  opened: Opened
  rows: readonly PendingPayment[]
  onClose: () => void
}

/** The dialog shows the row as it is now, not as it was when it was opened. */
function Dialogs({ opened, rows, onClose }: DialogsProps) {
  const payment = rows.find((row) => row.id === opened.payment.id) ?? opened.payment
  if (opened.as === 'details') return <PaymentDetails payment={payment} onClose={onClose} />
  return <PaymentDecision payment={payment} action={opened.as} onClose={onClose} />
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

/** Holds on cards that run out: nobody may learn of it too late. */
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
        value={filter.status}
        all={{ label: texts.filters.all, count: summary?.total }}
        choices={paymentStatuses}
        labels={texts.filters}
        counts={(status) => summary?.[status]}
        onChoose={(status) => onFilter({ ...filter, status })}
      />
      <MethodFilter filter={filter} summary={summary} onFilter={onFilter} />
    </>
  )
}

function MethodFilter({ filter, summary, onFilter }: FiltersProps) {
  const methods = summary?.methods ?? []
  const known = !filter.method || methods.some((choice) => choice.method === filter.method)
  return (
    <div className="w-full space-y-1.5 md:w-56">
      <Label htmlFor="payment-method">{texts.methodFilter}</Label>
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
