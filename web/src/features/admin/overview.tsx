import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '@/components/layout/page'
import { Failed } from '@/components/states/states'
import { count } from '@/lib/format'
import { admin, adminOrders, adminPayments } from '@/messages/admin'
import { adminKyc } from '@/messages/admin-kyc'
import { adminPayouts } from '@/messages/admin-payouts'
import { kycSummaryQuery } from './kyc-queries'
import { payoutsSummaryQuery } from './payout-queries'
import { adminOrdersSummaryQuery, paymentsSummaryQuery } from './queries'

/** What needs a person now, with the way there. */
export function AdminOverview() {
  const payments = useQuery(paymentsSummaryQuery({}))
  const orders = useQuery(adminOrdersSummaryQuery({}))
  const identities = useQuery(kycSummaryQuery({}))
  const payouts = useQuery(payoutsSummaryQuery({}))
  return (
    <>
      <PageHead title={admin.overview} lead={admin.overviewText} />
      {payments.error ? (
        <Failed
          className="mb-4"
          title={adminPayments.fetchFailed}
          error={payments.error}
          retry={() => void payments.refetch()}
        />
      ) : null}
      {orders.error ? (
        <Failed
          className="mb-4"
          title={adminOrders.fetchFailed}
          error={orders.error}
          retry={() => void orders.refetch()}
        />
      ) : null}
      <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-4">
        <Tile figure={count(payments.data?.pending)} text={admin.paymentsLead}>
          <Link
            to="/admin/payments"
            search={{ status: 'pending' }}
            className="font-medium after:absolute after:inset-0"
          >
            {admin.payments}
          </Link>
        </Tile>
        <Tile figure={count(orders.data?.approved)} text={admin.ordersLead}>
          <Link
            to="/admin/orders"
            search={{ status: 'payment_approved' }}
            className="font-medium after:absolute after:inset-0"
          >
            {admin.orders}
          </Link>
        </Tile>
        <Tile figure={count(orders.data?.failed)} text={admin.failedLead}>
          <Link
            to="/admin/orders"
            search={{ status: 'failed' }}
            className="font-medium after:absolute after:inset-0"
          >
            {admin.failed}
          </Link>
        </Tile>
        <Tile figure={count(identities.data?.byStanding.on_hold)} text={adminKyc.reviewLead}>
          <Link
            to="/admin/kyc"
            search={{ standing: 'on_hold' }}
            className="font-medium after:absolute after:inset-0"
          >
            {adminKyc.review}
          </Link>
        </Tile>
        <Tile figure={count(payouts.data?.byStatus.requested)} text={adminPayouts.reviewLead}>
          <Link
            to="/admin/payouts"
            search={{ status: 'requested' }}
            className="font-medium after:absolute after:inset-0"
          >
            {adminPayouts.review}
          </Link>
        </Tile>
        <Tile figure={count(orders.data?.needsAttention)} text={admin.attentionLead}>
          <Link
            to="/admin/orders"
            search={{ attention: true }}
            className="font-medium after:absolute after:inset-0"
          >
            {admin.attention}
          </Link>
        </Tile>
      </ul>
    </>
  )
}

function Tile({ figure, text, children }: { figure: string; text: string; children: ReactNode }) {
  return (
    <li className="relative rounded-lg border bg-card p-5 focus-within:outline-2 focus-within:outline-ring hover:border-input">
      <p className="text-2xl font-semibold tabular-nums">{figure}</p>
      <p className="mt-1">{children}</p>
      <p className="mt-1 text-sm text-muted-foreground">{text}</p>
    </li>
  )
}
