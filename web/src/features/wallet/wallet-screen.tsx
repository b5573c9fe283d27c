import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Order, OrdersSummary, Withdrawal } from '@/api/types.gen'
import { Copyable } from '@/components/form/copyable'
import { MoreButton } from '@/components/form/more-button'
import { Page } from '@/components/layout/page'
import { Coin } from '@/components/money/coin'
import { ExplorerLink } from '@/components/money/explorer-link'
import { CryptoAmount, Stat, Usd } from '@/components/money/money'
import { Failed, LoadingRows, NothingYet } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { lookOfOrder, withdrawalLook } from '@/components/status/status'
import { Time } from '@/components/status/time'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { count, shortened } from '@/lib/format'
import { rowsOf } from '@/lib/paging'
import { orders as orderTexts } from '@/messages/orders'
import { wallet } from '@/messages/wallet'
import { ActionNeeded } from '../orders/action-needed'
import { HoldNotice } from '../orders/hold-notice'
import { PayNow } from '../orders/pay-now'
import { ordersQuery, ordersSummaryQuery, recentWithdrawalsQuery } from '../orders/queries'
import { useActions, waitingFirst } from '../orders/use-actions'

/** specification §2: non-completed, non-cancelled. What was refunded or declined is among them, and says so. */
const openStatuses: ('pending' | 'payment_processing' | 'failed')[] = [
  'pending',
  'payment_processing',
  'failed',
]

export function WalletScreen() {
  const summary = useQuery(ordersSummaryQuery)
  return (
    <Page title={wallet.title} lead={wallet.lead}>
      <div className="space-y-6">
        <HoldNotice />
        <Summary query={summary} />
        <OpenOrders />
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Withdrawals />
          <Completed />
        </div>
      </div>
    </Page>
  )
}

const openQuery = ordersQuery({ legacyStatus: openStatuses, limit: 20 })

/** All orders but those that were cancelled: the open ones and the completed ones. */
export function ordersInAll(
  summary: Pick<OrdersSummary, 'completed'> | undefined,
  open: number | undefined,
): number | undefined {
  return summary && open !== undefined ? summary.completed + open : undefined
}

function Summary({ query }: { query: UseQueryResult<OrdersSummary> }) {
  const open = useInfiniteQuery(openQuery).data?.pages[0]?.total
  if (query.error) {
    return <Failed title={orderTexts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
  }
  return (
    <dl className="grid grid-cols-2 gap-4 *:last:col-span-2 sm:grid-cols-3 sm:*:last:col-span-1">
      <Stat name={wallet.totalOrders}>{count(ordersInAll(query.data, open))}</Stat>
      <Stat name={wallet.totalSpent}>
        <Usd amount={query.data?.totalSpent} />
      </Stat>
      <Stat name={wallet.pendingOrders}>{count(query.data?.pending)}</Stat>
    </dl>
  )
}

function OpenOrders() {
  const query = useInfiniteQuery(openQuery)
  const waiting = useActions()
  const rows = query.isPending ? [] : waitingFirst(rowsOf(query.data?.pages), waiting)
  return (
    <Section title={wallet.openOrders}>
      {query.error ? (
        <Failed title={orderTexts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <LoadingRows rows={1} />
      ) : rows.length === 0 ? (
        <p className="text-sm text-muted-foreground">{wallet.noOpen}</p>
      ) : (
        <ul className="divide-y">
          {rows.map((order) => (
            <OrderRow key={order.id} order={order} />
          ))}
        </ul>
      )}
      <MoreButton query={query} />
    </Section>
  )
}

function Withdrawals() {
  const query = useQuery(recentWithdrawalsQuery)
  return (
    <Section title={wallet.withdrawals}>
      {query.error ? (
        <Failed title={wallet.withdrawalsFailed} error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <LoadingRows rows={1} />
      ) : query.data.items.length === 0 ? (
        <p className="text-sm text-muted-foreground">{wallet.noWithdrawals}</p>
      ) : (
        <ul className="divide-y">
          {query.data.items.slice(0, 5).map((withdrawal) => (
            <WithdrawalRow key={withdrawal.id} withdrawal={withdrawal} />
          ))}
        </ul>
      )}
    </Section>
  )
}

const linked = 'rounded-sm font-medium underline underline-offset-4'

function WithdrawalRow({ withdrawal }: { withdrawal: Withdrawal }) {
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CryptoAmount amount={withdrawal.amount} asset={withdrawal.cryptoCurrency} className="font-medium" />
        <StatusBadge look={withdrawalLook(withdrawal.status)} />
      </div>
      <p className="mt-1 text-sm text-muted-foreground">
        {wallet.transferFor}{' '}
        {withdrawal.orderId ? (
          <Link to="/orders/$id" params={{ id: withdrawal.orderId }} className={linked}>
            {withdrawal.reference}
          </Link>
        ) : (
          <Link to="/vouchers/$id" params={{ id: withdrawal.redemptionId ?? '' }} className={linked}>
            {withdrawal.reference}
          </Link>
        )}
      </p>
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted-foreground">
        <span className="inline-flex items-center gap-1">
          {wallet.to}
          <Copyable
            text={withdrawal.walletAddress}
            shown={shortened(withdrawal.walletAddress)}
            what={orderTexts.destination}
          />
        </span>
        <Time at={withdrawal.createdAt} />
      </div>
      {withdrawal.txid ? (
        <p className="flex flex-wrap items-center justify-between gap-x-2 text-sm text-muted-foreground">
          <span className="inline-flex items-center gap-1">
            {orderTexts.txid}
            <Copyable
              text={withdrawal.txid}
              shown={withdrawal.txid.slice(0, 16)}
              what={orderTexts.txid}
              className="[&>code]:after:content-['…']"
            />
          </span>
          <ExplorerLink href={withdrawal.explorerUrl} />
        </p>
      ) : null}
    </li>
  )
}

function Completed() {
  const query = useInfiniteQuery(ordersQuery({ legacyStatus: ['completed'], limit: 5 }))
  const rows = rowsOf(query.data?.pages).slice(0, 5)
  return (
    <Section
      title={wallet.completed}
      action={
        <Link
          to="/transactions"
          className={buttonVariants({ variant: 'ghost', size: 'sm', className: '-mr-3' })}
        >
          {wallet.viewAll}
        </Link>
      }
    >
      {query.error ? (
        <Failed title={orderTexts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <LoadingRows rows={1} />
      ) : rows.length === 0 ? (
        <NothingYet
          icon={Wallet}
          title={wallet.noCompleted}
          action={
            <Link to="/buy" className={buttonVariants()}>
              {wallet.buy}
            </Link>
          }
        />
      ) : (
        <ul className="divide-y">
          {rows.map((order) => (
            <OrderRow key={order.id} order={order} delivered />
          ))}
        </ul>
      )}
    </Section>
  )
}

function OrderRow({ order, delivered }: { order: Order; delivered?: boolean }) {
  return (
    <li className="flex items-start gap-3 py-3 first:pt-0 last:pb-0">
      <Coin asset={order.cryptoCurrency} className="mt-0.5 size-8 max-xs:hidden" />
      <div className="min-w-0 flex-1 space-y-1">
        <p className="flex flex-wrap justify-between gap-x-3 font-medium">
          <Link to="/orders/$id" params={{ id: order.id }} className="rounded-sm hover:underline">
            <CryptoAmount amount={order.amount} asset={order.cryptoCurrency} />
          </Link>
          <Usd amount={order.fiatAmount} />
        </p>
        <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-sm text-muted-foreground">
          <p>
            <span className="whitespace-nowrap">{order.reference}</span> ·{' '}
            <span className="whitespace-nowrap">
              <Time at={order.createdAt} />
            </span>
          </p>
          <StatusBadge look={lookOfOrder(order)} className={cn(order.action && 'max-md:hidden')} />
        </div>
        {delivered ? (
          <p className="text-sm text-muted-foreground">
            <span>{wallet.delivered}</span> ·{' '}
            <code className="text-dense">{shortened(order.destAddress)}</code>
          </p>
        ) : null}
        {order.action ? (
          <div className="flex items-center justify-between gap-3">
            <ActionNeeded action={order.action} listed />
            <PayNow order={order} />
          </div>
        ) : null}
      </div>
    </li>
  )
}

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Card>
      <div className="mb-4 flex items-center justify-between gap-4">
        <CardTitle>{title}</CardTitle>
        {action}
      </div>
      {children}
    </Card>
  )
}
