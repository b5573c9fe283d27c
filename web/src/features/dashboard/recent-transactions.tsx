import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ReceiptText } from 'lucide-react'
import { useDeferredValue } from 'react'
import type { Transaction } from '@/api/types.gen'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { crypto, usd } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { dashboard } from '@/messages/dashboard'
import { transactionsQuery } from '../transactions/queries'
import { TransactionLink } from '../transactions/transaction-link'
import { useHistoryLook } from '../transactions/use-history-look'

const SHOWN = 5

export function RecentTransactions() {
  const query = useInfiniteQuery(transactionsQuery({}, SHOWN))
  // In small pieces, between which the page answers.
  const pages = useDeferredValue(query.data?.pages)
  const rows = rowsOf(pages).slice(0, SHOWN)
  return (
    <Card>
      <div className="mb-4 flex items-center justify-between gap-4">
        <CardTitle>{dashboard.recentTitle}</CardTitle>
        <Link to="/transactions" className={buttonVariants({ variant: 'ghost', size: 'sm' })}>
          {dashboard.viewAll}
        </Link>
      </div>
      {query.error ? (
        <Failed title={dashboard.recentFailed} error={query.error} retry={() => void query.refetch()} />
      ) : !pages ? (
        <LoadingRows rows={2} />
      ) : rows.length === 0 ? (
        <NothingYet icon={ReceiptText} title={dashboard.recentEmpty} hint={dashboard.recentEmptyHint} />
      ) : (
        <Table caption={dashboard.recentTitle}>
          <HeadRow>
            <ColumnHead>{dashboard.columns.type}</ColumnHead>
            <ColumnHead>{dashboard.columns.from}</ColumnHead>
            <ColumnHead>{dashboard.columns.to}</ColumnHead>
            <ColumnHead numeric>{dashboard.columns.amount}</ColumnHead>
            <ColumnHead>{dashboard.columns.status}</ColumnHead>
            <ColumnHead>{dashboard.columns.date}</ColumnHead>
          </HeadRow>
          <TableBody>
            {rows.map((row) => (
              <TransactionRow key={row.id} row={row} />
            ))}
          </TableBody>
        </Table>
      )}
    </Card>
  )
}

function TransactionRow({ row }: { row: Transaction }) {
  const lookOf = useHistoryLook()
  return (
    <Row>
      <Cell label={dashboard.columns.type}>
        <TransactionLink row={row} className="font-medium">
          {dashboard.types[row.type] ?? row.type}
        </TransactionLink>
      </Cell>
      <Cell label={dashboard.columns.from}>{row.fromAsset}</Cell>
      <Cell label={dashboard.columns.to}>{row.toAsset}</Cell>
      <Cell label={dashboard.columns.amount} numeric>
        {row.toAsset === 'USD' ? usd(row.toAmount) : `${crypto(row.toAmount)} ${row.toAsset}`}
      </Cell>
      <Cell label={dashboard.columns.status}>
        <StatusBadge look={lookOf(row)} />
      </Cell>
      <Cell label={dashboard.columns.date}>
        <Time at={row.createdAt} />
      </Cell>
    </Row>
  )
}
