import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDownLeft, ArrowUpRight, Wallet } from 'lucide-react'
import type { BalanceEntry } from '@/api/types.gen'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { Cell, ColumnHead, HeadRow, Row, Table, TableBody } from '@/components/ui/table'
import { cn } from '@/lib/cn'
import { signedUsd } from '@/lib/format'
import { compare } from '@/lib/money'
import { rowsOf } from '@/lib/paging'
import { balance as texts } from '@/messages/balance'
import { balanceQuery } from './queries'

/** What is in the account, and every reason why. */
export function BalanceScreen() {
  const query = useInfiniteQuery(balanceQuery)
  const rows = rowsOf(query.data?.pages)
  const now = query.data?.pages[0]
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Link to="/buy" className={buttonVariants()}>
          {texts.buy}
        </Link>
      }
    >
      <div className="space-y-6">
        {query.error ? (
          <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
        ) : null}
        {query.isPending ? <LoadingRows rows={2} /> : null}
        {now ? <Amounts available={now.balance} owed={now.receivable} /> : null}
        {query.isSuccess ? (
          <Card>
            <CardTitle className="mb-4">{texts.history}</CardTitle>
            {rows.length === 0 ? (
              <NothingYet icon={Wallet} title={texts.empty} hint={texts.emptyHint} />
            ) : (
              <History rows={rows} />
            )}
            <MoreButton query={query} />
          </Card>
        ) : null}
      </div>
    </Page>
  )
}

function Amounts({ available, owed }: { available: string; owed: string }) {
  return (
    <Card>
      <dl className="flex flex-wrap gap-x-12 gap-y-4">
        <div>
          <dt className="text-sm text-muted-foreground">{texts.available}</dt>
          <dd className="mt-1 text-2xl font-semibold tabular-nums" data-testid="available">
            <Usd amount={available} />
          </dd>
        </div>
        {compare(owed, '0') > 0 ? (
          <div>
            <dt className="text-sm text-muted-foreground">{texts.receivable}</dt>
            <dd className="mt-1 text-2xl font-semibold text-danger-text">
              <Usd amount={owed} />
            </dd>
            <dd className="mt-1 text-xs text-muted-foreground">{texts.receivableHint}</dd>
          </div>
        ) : null}
      </dl>
    </Card>
  )
}

function History({ rows }: { rows: readonly BalanceEntry[] }) {
  const { columns } = texts
  return (
    <Table caption={texts.caption}>
      <HeadRow>
        <ColumnHead>{columns.date}</ColumnHead>
        <ColumnHead>{columns.why}</ColumnHead>
        <ColumnHead numeric>{columns.amount}</ColumnHead>
        <ColumnHead numeric>{columns.after}</ColumnHead>
      </HeadRow>
      <TableBody>
        {rows.map((entry) => (
          <Row key={entry.id}>
            <Cell label={columns.date} className="md:whitespace-nowrap">
              <Time at={entry.at} />
            </Cell>
            <Cell label={columns.why} className="md:w-full">
              <Why entry={entry} />
            </Cell>
            <Cell label={columns.amount} numeric>
              <Amount amount={entry.amount} />
            </Cell>
            <Cell label={columns.after} numeric className="md:text-muted-foreground">
              <Usd amount={entry.balanceAfter} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

function Why({ entry }: { entry: BalanceEntry }) {
  return (
    <>
      {entry.why}
      {entry.orderId ? (
        <>
          {' · '}
          <Link
            to="/orders/$id"
            params={{ id: entry.orderId }}
            className="font-medium underline underline-offset-4"
          >
            {texts.order(entry.reference ?? '')}
          </Link>
        </>
      ) : null}
      {entry.giftCardId ? (
        <>
          {' · '}
          <Link
            to="/gift-cards/$id"
            params={{ id: entry.giftCardId }}
            className="font-medium underline underline-offset-4"
          >
            {entry.reference}
          </Link>
        </>
      ) : null}
    </>
  )
}

/** Came or went: a sign, an arrow and a colour. */
function Amount({ amount }: { amount: string }) {
  const came = !amount.startsWith('-')
  const Icon = came ? ArrowDownLeft : ArrowUpRight
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 font-medium tabular-nums md:justify-end',
        came && 'text-success-text',
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {signedUsd(amount)}
    </span>
  )
}
