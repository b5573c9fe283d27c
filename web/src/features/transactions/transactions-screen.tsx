import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, ReceiptText } from 'lucide-react'
import { assets } from '@/api/lists.gen'
import type { Transaction } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { SearchBox } from '@/components/form/search-box'
import { Page } from '@/components/layout/page'
import { ExplorerLink } from '@/components/money/explorer-link'
import { Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingFound, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { Label, Select } from '@/components/ui/input'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { cn } from '@/lib/cn'
import { crypto, MISSING, usd } from '@/lib/format'
import { useCoins } from '@/lib/offer'
import { rowsOf } from '@/lib/paging'
import { oneOf } from '@/lib/search'
import { assetNames, methodLabels } from '@/messages/common'
import { transactions as texts } from '@/messages/wallet'
import { isFiltered, statusChoices, type TransactionFilter, typeChoices } from './filter'
import { exportHref, transactionsQuery, transactionsSummaryQuery } from './queries'
import { TransactionLink } from './transaction-link'
import { useHistoryLook } from './use-history-look'

interface TransactionsScreenProps {
  filter: TransactionFilter
  /** Puts a filter into the address: `replace` while typing, so that Back skips the letters. */
  onFilter: (filter: TransactionFilter, replace: boolean) => void
}

export function TransactionsScreen({ filter, onFilter }: TransactionsScreenProps) {
  const list = useInfiniteQuery(transactionsQuery(filter))
  const summary = useQuery(transactionsSummaryQuery(filter))
  const rows = rowsOf(list.data?.pages)
  const matching = summary.data?.matching
  return (
    <Page title={texts.title} actions={<ExportButton filter={filter} disabled={!matching} />}>
      <Card>
        <Filters filter={filter} onFilter={onFilter} />
        <p role="status" className="my-4 text-sm text-muted-foreground tabular-nums">
          {summary.data ? texts.countLine(summary.data.matching, summary.data.total) : ' '}
        </p>
        {list.error ? (
          <Failed title={texts.fetchFailed} error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <LoadingRows rows={4} />
        ) : rows.length > 0 ? (
          <TransactionsTable rows={rows} />
        ) : isFiltered(filter) ? (
          <NothingFound
            title={texts.none}
            hint={texts.noneHint}
            action={
              <Button variant="outline" onClick={() => onFilter({}, false)}>
                {texts.clear}
              </Button>
            }
          />
        ) : (
          <NothingYet
            icon={ReceiptText}
            title={texts.empty}
            hint={texts.emptyHint}
            action={
              <Link to="/buy" className={buttonVariants()}>
                {texts.buy}
              </Link>
            }
          />
        )}
        <MoreButton query={list} />
      </Card>
    </Page>
  )
}

function ExportButton({ filter, disabled }: { filter: TransactionFilter; disabled: boolean }) {
  if (disabled) {
    return (
      <Button variant="outline" disabled>
        <Download aria-hidden />
        {texts.export}
      </Button>
    )
  }
  return (
    <a href={exportHref(filter)} download className={buttonVariants({ variant: 'outline' })}>
      <Download aria-hidden />
      {texts.export}
    </a>
  )
}

function Filters({ filter, onFilter }: TransactionsScreenProps) {
  const offered = useCoins()
  return (
    <div className="grid grid-cols-3 gap-2 *:first:col-span-3 md:gap-3 lg:grid-cols-[minmax(0,1fr)_10rem_10rem_10rem] lg:*:first:col-span-1">
      <SearchBox
        id="transactions-search"
        label={texts.search}
        placeholder={texts.searchPlaceholder}
        value={filter.q ?? ''}
        onChange={(q) => onFilter({ ...filter, q: q || undefined }, true)}
      />
      <div className="space-y-1.5">
        <Label htmlFor="transactions-status">{texts.status}</Label>
        <Select
          id="transactions-status"
          value={filter.status ?? 'all'}
          onChange={(event) =>
            onFilter({ ...filter, status: oneOf(statusChoices, event.target.value) }, false)
          }
        >
          <option value="all">{texts.all}</option>
          {statusChoices.map((status) => (
            <option key={status} value={status}>
              {texts.statuses[status]}
            </option>
          ))}
        </Select>
      </div>
      <div className="space-y-1.5">
        <Label htmlFor="transactions-type">{texts.type}</Label>
        <Select
          id="transactions-type"
          value={filter.type ?? 'all'}
          onChange={(event) => onFilter({ ...filter, type: oneOf(typeChoices, event.target.value) }, false)}
        >
          <option value="all">{texts.all}</option>
          {typeChoices.map((type) => (
            <option key={type} value={type}>
              {texts.types[type]}
            </option>
          ))}
        </Select>
      </div>
      <div className="space-y-1.5">
        <Label htmlFor="transactions-crypto">{texts.crypto}</Label>
        <Select
          id="transactions-crypto"
          value={filter.crypto ?? 'all'}
          onChange={(event) => onFilter({ ...filter, crypto: oneOf(assets, event.target.value) }, false)}
        >
          <option value="all">{texts.all}</option>
          {offered.map((asset) => (
            <option key={asset} value={asset}>
              {asset}
            </option>
          ))}
        </Select>
      </div>
    </div>
  )
}

/** What was given: a payment method, or the card that was sold. */
function paymentOf(row: Transaction) {
  if (row.type === 'crypto_swap') return methodLabels[row.paymentMethod] ?? row.paymentMethod
  const kind = texts.types[row.type]
  return row.type === 'gift_card' ? `${kind} · ${row.fromAsset}` : kind
}

/** The two columns of a transaction that is a card: what and when at the left, how much and how it stands at the right. */
const first = 'stacked:col-start-1 stacked:text-muted-foreground'
const second = 'stacked:col-start-2 stacked:text-right'

function TransactionsTable({ rows }: { rows: Transaction[] }) {
  const lookOf = useHistoryLook()
  return (
    <Table caption={texts.title}>
      <HeadRow>
        <ColumnHead>{texts.columns.id}</ColumnHead>
        <ColumnHead>{texts.columns.date}</ColumnHead>
        <ColumnHead>{texts.columns.crypto}</ColumnHead>
        <ColumnHead numeric>{texts.columns.amount}</ColumnHead>
        <ColumnHead numeric>{texts.columns.usd}</ColumnHead>
        <ColumnHead>{texts.columns.payment}</ColumnHead>
        <ColumnHead>{texts.columns.status}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((row) => (
          <Row
            key={row.id}
            className="stacked:grid stacked:grid-flow-row-dense stacked:grid-cols-[1fr_auto] stacked:gap-x-1"
          >
            <Cell plain label={texts.columns.id}>
              <TransactionLink row={row} className="font-mono">
                {row.reference}
              </TransactionLink>
              <ExplorerLink href={row.explorerUrl} bare className="ml-2 align-middle text-muted-foreground" />
            </Cell>
            <Cell plain label={texts.columns.date} className={first}>
              <Time at={row.createdAt} />
            </Cell>
            <Cell label={texts.columns.crypto} className="stacked:hidden">
              {row.cryptoCurrency ? (assetNames[row.cryptoCurrency] ?? row.cryptoCurrency) : MISSING}
            </Cell>
            <Cell plain label={texts.columns.amount} numeric className={first}>
              {row.cryptoCurrency ? `${crypto(row.amount)} ${row.cryptoCurrency}` : MISSING}
            </Cell>
            <Cell plain label={texts.columns.usd} numeric className={cn(second, 'stacked:font-medium')}>
              <Usd amount={row.fiatAmount} />
            </Cell>
            <Cell plain label={texts.columns.payment} className={cn(second, 'stacked:text-muted-foreground')}>
              <span className={row.returned ? 'stacked:hidden' : ''}>{paymentOf(row)}</span>
              {row.returned ? (
                <span className="hidden stacked:inline">{outOf(row, row.returned)}</span>
              ) : null}
            </Cell>
            <Cell plain label={texts.columns.status} className={second}>
              <StatusBadge look={lookOf(row)} className="stacked:whitespace-normal" />
              {row.returned ? (
                <span className="block text-xs text-muted-foreground stacked:hidden">
                  {outOf(row, row.returned)}
                </span>
              ) : null}
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

/** What left an order's money again, or is with the bank until it decides. */
function outOf({ resolution }: Transaction, amount: string): string {
  return (resolution === 'disputed' ? texts.disputed : texts.returned)(usd(amount))
}
