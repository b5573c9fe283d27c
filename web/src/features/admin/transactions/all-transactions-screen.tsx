import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AdminTransaction, AdminTransactionsSummary } from '@/api/types.gen'
import { SearchBox } from '@/components/form/search-box'
import { CryptoAmount, Usd } from '@/components/money/money'
import { StatusBadge } from '@/components/status/badge'
import { tradeLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { textLink } from '@/components/ui/text-link'
import { count, MISSING, spaced } from '@/lib/format'
import { useCoins } from '@/lib/offer'
import { rowsOf } from '@/lib/paging'
import { useSignedInUser } from '@/lib/session'
import { usePhone } from '@/lib/wide'
import { adminTransactions as texts } from '@/messages/admin-books'
import { methodLabels } from '@/messages/common'
import { statusLabels } from '@/messages/status'
import { fileHref, isNarrowed } from '../shared/book'
import { BookScreen, Period } from '../shared/book-frame'
import { Choice } from '../shared/choice'
import { Counters } from '../shared/list-frame'
import { ObjectLink } from '../shared/object-link'
import { Person } from '../shared/person'
import { PhoneRow, PhoneRows } from '../shared/phone-row'
import { type TradeFilter, tradeStates, tradeTypes } from './filters'
import { tradesQuery, tradesSummaryQuery } from './queries'

interface TransactionsProps {
  filter: TradeFilter
  onFilter: (filter: TradeFilter, replace: boolean) => void
}

/** Everything that customers do, in one list. */
export function AllTransactionsScreen({ filter, onFilter }: TransactionsProps) {
  const list = useInfiniteQuery(tradesQuery(filter))
  const summary = useQuery(tradesSummaryQuery(filter))
  const mayExport = useSignedInUser().permissions.includes('read_ledger')
  return (
    <BookScreen
      title={texts.title}
      lead={texts.lead}
      list={list}
      summary={summary}
      file={mayExport ? fileHref('transactions', filter) : undefined}
      search={{
        name: 'q',
        id: 'trades-search',
        label: `${texts.columns.reference} / id`,
        placeholder: texts.searchPlaceholder,
        value: filter.q,
        onChange: (q) => onFilter({ ...filter, q }, true),
      }}
      filters={<Filters filter={filter} onFilter={onFilter} rails={summary.data?.rails ?? []} />}
      columns={4}
      figures={<Figures summary={summary.data} shown={rowsOf(list.data?.pages).length} />}
      failed={texts.fetchFailed}
      none={isNarrowed(filter) ? texts.none : texts.empty}
      narrowed={isNarrowed(filter)}
      onClear={() => onFilter({}, false)}
      table={(rows) => <Transactions rows={rows} />}
    />
  )
}

function Filters({ filter, onFilter, rails }: TransactionsProps & { rails: readonly string[] }) {
  const offered = useCoins()
  const set = (part: TradeFilter) => onFilter({ ...filter, ...part }, false)
  return (
    <>
      <SearchBox
        id="trades-customer"
        label={texts.customerId}
        placeholder={texts.searchHint}
        value={filter.customer ?? ''}
        onChange={(customer) => onFilter({ ...filter, customer: customer || undefined }, true)}
      />
      <Period id="trades" filter={filter} onChange={set} />
      <Choice
        id="trades-type"
        label={texts.type}
        value={filter.type}
        choices={tradeTypes}
        labels={texts.types}
        onChoose={(type) => set({ type })}
      />
      <Choice
        id="trades-state"
        label={texts.state}
        value={filter.state}
        choices={tradeStates}
        labels={statusLabels.legacy}
        onChoose={(state) => set({ state })}
      />
      <Choice
        id="trades-rail"
        label={texts.rail}
        value={filter.rail}
        choices={rails}
        labels={methodLabels}
        onChoose={(rail) => set({ rail })}
      />
      <Choice
        id="trades-asset"
        label={texts.asset}
        value={filter.asset}
        choices={offered}
        onChoose={(asset) => set({ asset })}
      />
    </>
  )
}

/** The number of lines and their total, over the whole filtered set. */
function Figures({ summary, shown }: { summary: AdminTransactionsSummary | undefined; shown: number }) {
  const matching = summary ? count(summary.matching) : ''
  return (
    <>
      <p role="status" className="mb-3 min-h-5 text-sm text-muted-foreground tabular-nums">
        {summary
          ? texts.shown(count(shown), summary.exact ? matching : texts.more(matching), count(summary.total))
          : ' '}
      </p>
      {summary?.exact === false ? (
        <p className="mb-4 text-sm text-muted-foreground">{texts.noSums}</p>
      ) : (
        <div className="mb-4 md:mb-5 md:min-h-18">
          <Counters
            wide={5}
            label={texts.sums}
            figures={tradeTypes.map((type) => {
              const sum = summary?.sums.find((one) => one.type === type)
              return [
                texts.types[type],
                summary ? count(sum?.count ?? 0) : MISSING,
                <Usd key="sum" amount={summary ? (sum?.amount ?? '0.00') : undefined} />,
              ] as const
            })}
          />
        </div>
      )}
    </>
  )
}

function Transactions({ rows }: { rows: readonly AdminTransaction[] }) {
  const { columns } = texts
  if (usePhone())
    return (
      <PhoneRows
        caption={texts.title}
        rows={rows}
        row={(row) => (
          <PhoneRow
            title={
              <span className="font-mono [&_a]:after:absolute [&_a]:after:inset-0">
                <Way row={row} />
              </span>
            }
            figure={<Usd amount={row.amount} className="font-medium" />}
            about={
              <>
                {row.label || texts.types[row.type]} · <Person name={row.customerName || row.customerEmail} />{' '}
                · <Time at={row.createdAt} />
              </>
            }
            badge={<StatusBadge look={tradeLook(row)} />}
          />
        )}
      />
    )
  return (
    <Table caption={texts.title} needs="much">
      <HeadRow>
        <ColumnHead>{columns.reference}</ColumnHead>
        <ColumnHead>{columns.type}</ColumnHead>
        <ColumnHead>{columns.date}</ColumnHead>
        <ColumnHead>{columns.customer}</ColumnHead>
        <ColumnHead numeric>{columns.amount}</ColumnHead>
        <ColumnHead numeric className="whitespace-normal">
          {columns.usd}
        </ColumnHead>
        <ColumnHead>{columns.payment}</ColumnHead>
        <ColumnHead>{columns.status}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((row) => (
          <Row key={row.id} keyed={row.id}>
            <Cell label={columns.reference}>
              <span className="font-mono wrap-anywhere tabled:whitespace-nowrap">
                <Way row={row} />
              </span>
            </Cell>
            <Cell label={columns.type} className="tabled:whitespace-nowrap">
              {texts.types[row.type]}
              {row.label ? <span className="text-muted-foreground"> · {row.label}</span> : null}
            </Cell>
            <Cell label={columns.date}>
              <Time at={row.createdAt} />
            </Cell>
            <Cell label={columns.customer}>
              <span className="wrap-anywhere">
                <ObjectLink kind="user" id={row.customerId}>
                  <Person name={row.customerName || row.customerEmail || row.customerId} />
                </ObjectLink>
              </span>
            </Cell>
            <Cell label={columns.amount} numeric className="tabled:whitespace-nowrap">
              {row.coins && row.asset ? <CryptoAmount amount={row.coins} asset={row.asset} /> : MISSING}
            </Cell>
            <Cell label={columns.usd} numeric>
              <Usd amount={row.amount} />
            </Cell>
            <Cell label={columns.payment} className="tabled:whitespace-nowrap">
              {row.rail ? (methodLabels[row.rail] ?? row.rail) : MISSING}
            </Cell>
            <Cell label={columns.status}>
              <StatusBadge look={tradeLook(row)} />
              <span className="sr-only"> {spaced(row.status)}</span>
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

/** A redeemed voucher is found among the vouchers by its reference; a refund is on its order's page. */
function Way({ row }: { row: AdminTransaction }) {
  if (row.type === 'voucher')
    return (
      <Link to="/admin/vouchers" search={{ q: row.reference }} className={textLink}>
        {row.reference}
      </Link>
    )
  const refund = row.type === 'refund'
  return (
    <ObjectLink kind={refund ? 'order' : row.type} id={refund ? row.orderId : row.id}>
      {row.reference}
    </ObjectLink>
  )
}
