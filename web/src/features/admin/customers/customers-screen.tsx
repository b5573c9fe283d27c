import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AdminCustomer } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { PageHead } from '@/components/layout/page'
import { Usd } from '@/components/money/money'
import { Failed } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { customerKycLooks } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { count } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { usePhone } from '@/lib/wide'
import { adminCustomers as texts } from '@/messages/admin-customers'
import { statusLabels } from '@/messages/status'
import { Choice } from '../shared/choice'
import { FilterFold } from '../shared/filter-fold'
import { Freshness, readAnew } from '../shared/freshness'
import { Counters, KeyedRows } from '../shared/list-frame'
import { Person } from '../shared/person'
import { PhoneRow, PhoneRows, phoneLink } from '../shared/phone-row'
import { CustomerEdit } from './customer-edit'
import { type CustomerFilter, customerKyc, volumeTiers } from './filters'
import { customersQuery, customersSummaryQuery } from './queries'

interface CustomersScreenProps {
  filter: CustomerFilter
  onFilter: (filter: CustomerFilter, replace: boolean) => void
}

export function CustomersScreen({ filter, onFilter }: CustomersScreenProps) {
  const list = useInfiniteQuery(customersQuery(filter))
  const summary = useQuery(customersSummaryQuery(filter))
  const [edited, setEdited] = useState<AdminCustomer>()
  const { counters } = texts
  return (
    <>
      <PageHead title={texts.title} actions={<Freshness of={list} beside={summary} />} />
      <Counters
        wide={4}
        figures={[
          [counters.total, count(summary.data?.total)],
          [counters.verified, count(summary.data?.verified)],
          [counters.premium, count(summary.data?.premium)],
          [counters.pending, count(summary.data?.pendingKyc)],
        ]}
      />
      <Filters filter={filter} onFilter={onFilter} />
      {list.error ? (
        <Failed
          className="mb-4"
          title={texts.fetchFailed}
          error={list.error}
          retry={() => readAnew(list, summary)}
        />
      ) : null}
      <div className="rounded-lg border bg-card p-4 md:p-5">
        <Customers
          rows={rowsOf(list.data?.pages)}
          pending={list.isPending}
          filtered={Boolean(filter.q || filter.kyc || filter.tier)}
          onEdit={setEdited}
        />
      </div>
      <MoreButton query={list} />
      {edited ? <CustomerEdit customer={edited} onClose={() => setEdited(undefined)} /> : null}
    </>
  )
}

function Filters({ filter, onFilter }: CustomersScreenProps) {
  return (
    <div className="my-4 md:my-5">
      <FilterFold
        className="flex-wrap items-end gap-4 md:flex md:*:order-none"
        search={{
          name: 'q',
          id: 'customers-search',
          label: texts.search,
          placeholder: texts.searchPlaceholder,
          value: filter.q,
          className: 'md:w-96',
          onChange: (q) => onFilter({ ...filter, q }, true),
        }}
      >
        <Choice
          id="customers-kyc"
          label={texts.kycFilter}
          value={filter.kyc}
          choices={customerKyc}
          labels={statusLabels.customerKyc}
          onChoose={(kyc) => onFilter({ ...filter, kyc }, false)}
        />
        <Choice
          id="customers-tier"
          label={texts.tierFilter}
          value={filter.tier}
          choices={volumeTiers}
          labels={texts.tiers}
          onChoose={(tier) => onFilter({ ...filter, tier }, false)}
        />
      </FilterFold>
    </div>
  )
}

interface CustomersProps {
  rows: readonly AdminCustomer[]
  pending: boolean
  filtered: boolean
  onEdit: (customer: AdminCustomer) => void
}

function Customers({ rows, pending, filtered, onEdit }: CustomersProps) {
  const { columns } = texts
  const phone = usePhone()
  const acts = [{ key: 'e', label: texts.edit, can: () => true, run: onEdit }]
  if (pending) return <p className="py-8 text-center text-sm text-muted-foreground">{texts.loading}</p>
  if (rows.length === 0)
    return (
      <div className="py-8 text-center text-sm">
        <p className="font-medium">{texts.empty}</p>
        {filtered ? <p className="text-muted-foreground">{texts.emptyFiltered}</p> : null}
      </div>
    )
  return (
    <KeyedRows rows={rows} acts={acts}>
      {phone ? (
        <PhoneRows
          caption={texts.title}
          rows={rows}
          row={(customer) => <CustomerLines customer={customer} />}
        />
      ) : (
        <Table caption={texts.title} needs="much">
          <HeadRow>
            <ColumnHead>{columns.customer}</ColumnHead>
            <ColumnHead>{columns.email}</ColumnHead>
            <ColumnHead>{columns.kyc}</ColumnHead>
            <ColumnHead>{columns.tier}</ColumnHead>
            <ColumnHead numeric>{columns.volume}</ColumnHead>
            <ColumnHead>{columns.country}</ColumnHead>
            <ColumnHead>{columns.actions}</ColumnHead>
          </HeadRow>
          <TableBody>
            {rows.map((customer) => (
              <CustomerRow key={customer.id} customer={customer} onEdit={onEdit} />
            ))}
          </TableBody>
        </Table>
      )}
    </KeyedRows>
  )
}

function CustomerLines({ customer }: { customer: AdminCustomer }) {
  return (
    <PhoneRow
      title={
        <Link to="/admin/customers/$id" params={{ id: customer.id }} data-open className={phoneLink}>
          <Person name={customer.name ?? texts.anonymous} />
          <span className="sr-only">{texts.ofWhom(customer.email || texts.anonymous)}</span>
        </Link>
      }
      figure={<Usd amount={customer.totalVolume30Days} />}
      about={[
        customer.email || texts.none,
        customer.countryCode,
        texts.tiers[customer.volumeTier] ?? customer.volumeTier,
      ]
        .filter(Boolean)
        .join(' · ')}
      badge={
        customer.frozen ? (
          <StatusBadge look={{ label: texts.frozen, tone: 'danger' }} />
        ) : (
          <StatusBadge look={customerKycLooks[customer.kycStatus]} />
        )
      }
    />
  )
}

function CustomerRow({
  customer,
  onEdit,
}: {
  customer: AdminCustomer
  onEdit: (customer: AdminCustomer) => void
}) {
  const { columns } = texts
  const who = customer.name ?? texts.anonymous
  const hidden = <span className="sr-only">{texts.ofWhom(customer.email || who)}</span>
  return (
    <Row keyed={customer.id}>
      <Cell label={columns.customer}>
        <span className="wrap-anywhere">
          <Person name={who} />
        </span>
        {customer.frozen ? (
          <StatusBadge className="ml-2" look={{ label: texts.frozen, tone: 'danger' }} />
        ) : null}
      </Cell>
      <Cell label={columns.email}>
        <span className="wrap-anywhere">
          <Person name={customer.email || texts.none} />
        </span>
      </Cell>
      <Cell label={columns.kyc}>
        <StatusBadge look={customerKycLooks[customer.kycStatus]} />
      </Cell>
      <Cell label={columns.tier}>
        <StatusBadge
          look={{ label: texts.tiers[customer.volumeTier] ?? customer.volumeTier, tone: 'neutral' }}
        />
      </Cell>
      <Cell label={columns.volume} numeric>
        <Usd amount={customer.totalVolume30Days} />
      </Cell>
      <Cell label={columns.country}>{customer.countryCode ?? texts.none}</Cell>
      <Cell label={columns.actions}>
        <span className="flex gap-2">
          <Button variant="outline" size="sm" onClick={() => onEdit(customer)}>
            {texts.edit}
            {hidden}
          </Button>
          <Link
            to="/admin/customers/$id"
            params={{ id: customer.id }}
            data-open
            className={buttonVariants({ variant: 'outline', size: 'sm' })}
          >
            {texts.open}
            {hidden}
          </Link>
        </span>
      </Cell>
    </Row>
  )
}
