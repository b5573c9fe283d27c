import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDownLeft, ArrowUpRight, Landmark, Wallet } from 'lucide-react'
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
import { isPositive } from '@/lib/money'
import { rowsOf } from '@/lib/paging'
import { balance as texts } from '@/messages/balance'
import { HoldNotice } from '../orders/hold-notice'
import { PayoutsCard } from '../payouts/payouts-card'
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
        <>
          <Link to="/payouts/new" className={buttonVariants({ variant: 'outline' })}>
            <Landmark aria-hidden />
            {texts.payOut}
          </Link>
          <Link to="/buy" className={buttonVariants()}>
            {texts.buy}
          </Link>
        </>
      }
    >
      <div className="space-y-6">
        <HoldNotice of="account" />
        {query.error ? (
          <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
        ) : null}
        {query.isPending ? <LoadingRows rows={2} /> : null}
        {now ? <Amounts available={now.balance} reserved={now.reserved} owed={now.receivable} /> : null}
        {now ? <PayoutsCard /> : null}
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

function Amounts({ available, reserved, owed }: { available: string; reserved: string; owed: string }) {
  return (
    <Card>
      <dl className="flex flex-wrap gap-x-12 gap-y-4">
        <div>
          <dt className="text-sm text-muted-foreground">{texts.available}</dt>
          <dd className="mt-1 text-2xl font-semibold tabular-nums" data-testid="available">
            <Usd amount={available} />
          </dd>
        </div>
        {isPositive(reserved) ? (
          <div>
            <dt className="text-sm text-muted-foreground">{texts.reserved}</dt>
            <dd className="mt-1 text-2xl font-semibold" data-testid="reserved">
              <Usd amount={reserved} />
            </dd>
            <dd className="mt-1 text-xs text-muted-foreground">{texts.reservedHint}</dd>
          </div>
        ) : null}
        {isPositive(owed) ? (
          <div>
            <dt className="text-sm text-muted-foreground">{texts.receivable}</dt>
            <dd className="mt-1 text-2xl font-semibold text-danger-text">
              <Usd amount={owed} />
            </dd>
            <dd className="mt-1 text-xs text-muted-foreground">
              {texts.receivableHint}{' '}
              <Link
                to="/support"
                search={{ about: texts.title }}
                className="text-primary underline underline-offset-4"
              >
                {texts.object}
              </Link>
            </dd>
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

/** What an entry was for, and the way to what caused it. */
function Why({ entry }: { entry: BalanceEntry }) {
  return (
    <>
      {entry.why}
      <Cause entry={entry} />
    </>
  )
}

const link = 'ml-2 inline-block font-medium text-balance underline underline-offset-4'

function Cause({ entry }: { entry: BalanceEntry }) {
  const { orderId, giftCardId, payoutId } = entry
  const reference = entry.reference ?? ''
  if (orderId)
    return (
      <Link to="/orders/$id" params={{ id: orderId }} className={link}>
        {texts.order(reference)}
      </Link>
    )
  if (giftCardId)
    return (
      <Link to="/gift-cards/$id" params={{ id: giftCardId }} className={link}>
        {texts.giftCard(reference)}
      </Link>
    )
  if (payoutId)
    return (
      <Link to="/payouts/$id" params={{ id: payoutId }} className={link}>
        {texts.payout(reference)}
      </Link>
    )
  return null
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
