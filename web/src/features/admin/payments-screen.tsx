import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CreditCard } from 'lucide-react'
import { useState } from 'react'
import type { PaymentsSummary, PendingPayment } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Stat, Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingFound, NothingYet } from '@/components/states/states'
import { Label, Select } from '@/components/ui/input'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { adminOrders, adminPayments as texts } from '@/messages/admin'
import { methodLabels } from '@/messages/common'
import { Chips } from './chips'
import { type PaymentFilter, paymentStatuses } from './filters'
import { Freshness } from './freshness'
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
  const rows = rowsOf(list.data?.pages)
  const close = () => setOpened(undefined)
  const refresh = () => {
    void list.refetch()
    void summary.refetch()
  }
  // The dialog shows the row as it is now, not as it was when it was opened.
  const shown = opened ? (rows.find((row) => row.id === opened.payment.id) ?? opened.payment) : undefined
  return (
    <>
      <PageHead
        title={texts.title}
        actions={<Freshness updatedAt={list.dataUpdatedAt} busy={list.isFetching} onRefresh={refresh} />}
      />
      <Stats summary={summary.data} />
      <Filters filter={filter} summary={summary.data} onFilter={onFilter} />
      {list.error ? (
        <Failed className="mb-4" title={texts.fetchFailed} error={list.error} retry={refresh} />
      ) : null}
      {list.isPending ? <LoadingRows rows={3} /> : null}
      {list.isSuccess && rows.length === 0 ? (
        <Empty filtered={Boolean(filter.status || filter.method)} />
      ) : null}
      <ul className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {rows.map((payment) => (
          <li key={payment.id}>
            <PaymentCard payment={payment} onOpen={(as) => setOpened({ payment, as })} />
          </li>
        ))}
      </ul>
      <MoreButton query={list} />
      {opened && shown ? (
        opened.as === 'details' ? (
          <PaymentDetails payment={shown} onClose={close} />
        ) : (
          <PaymentDecision payment={shown} action={opened.as} onClose={close} />
        )
      ) : null}
    </>
  )
}

function Stats({ summary }: { summary: PaymentsSummary | undefined }) {
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
      <Stat name={texts.stats.total}>{count(summary?.total)}</Stat>
      <Stat name={texts.stats.pending}>{count(summary?.pending)}</Stat>
      <Stat name={texts.stats.approved}>{count(summary?.approved)}</Stat>
      <Stat name={texts.stats.declined}>{count(summary?.declined)}</Stat>
      <Stat name={texts.stats.totalValue}>
        <Usd amount={summary?.totalValue} />
      </Stat>
    </dl>
  )
}

interface FiltersProps extends PaymentsScreenProps {
  summary: PaymentsSummary | undefined
}

function Filters({ filter, summary, onFilter }: FiltersProps) {
  const methods = summary?.methods ?? []
  const known = !filter.method || methods.some((choice) => choice.method === filter.method)
  return (
    <div className="my-5 flex flex-wrap items-end justify-between gap-4">
      <Chips
        legend={texts.statusFilter}
        value={filter.status ?? 'all'}
        onChange={(status) => onFilter({ ...filter, status: status === 'all' ? undefined : status })}
        chips={[
          { value: 'all', label: texts.filters.all, count: summary?.total },
          ...paymentStatuses.map((status) => ({
            value: status,
            label: texts.filters[status],
            count: summary?.[status],
          })),
        ]}
      />
      <div className="flex items-center gap-2">
        <Label htmlFor="payment-method" className="whitespace-nowrap">
          {texts.methodFilter}
        </Label>
        <Select
          id="payment-method"
          className="md:h-9"
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
    </div>
  )
}

function Empty({ filtered }: { filtered: boolean }) {
  return (
    <div className="rounded-lg border bg-card">
      {filtered ? (
        <NothingFound title={texts.empty} hint={adminOrders.emptyFiltered} />
      ) : (
        <NothingYet icon={CreditCard} title={texts.empty} />
      )}
    </div>
  )
}
