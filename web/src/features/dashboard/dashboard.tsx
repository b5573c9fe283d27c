import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeftRight, Gift, Globe, Ticket } from 'lucide-react'
import { type ReactNode, Suspense, useEffect } from 'react'
import { FoldedWide } from '@/components/form/folded'
import { Page } from '@/components/layout/page'
import { Stat, Usd } from '@/components/money/money'
import { LoadingRows } from '@/components/states/states'
import { dashboardKycLook } from '@/components/status/status'
import { buttonVariants } from '@/components/ui/button-variants'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { useOffered } from '@/lib/offer'
import { rowsOf } from '@/lib/paging'
import { userQuery, useSignedInUser } from '@/lib/session'
import { dashboard } from '@/messages/dashboard'
import { IdentityCard } from '../kyc/identity-card'
import { transactionsSummaryQuery } from '../transactions/queries'
import { latestOrder, Now } from './now'
import { part } from './part'

/** With its catalogue it is more than the rest of the page needs at once. */
const TradeCard = part(async () => (await import('../gift-cards/trade-card')).TradeCard)
const RedeemCard = part(async () => (await import('../vouchers/redeem-card')).RedeemCard)

const PurchaseCard = part(async () => (await import('./purchase-card')).PurchaseCard)
const RecentTransactions = part(async () => (await import('./recent-transactions')).RecentTransactions)

/** Below the first view: fetched once the rest is there. */
const SupportCard = part(async () => (await import('../support/support-card')).SupportCard)
const ChatButton = part(async () => (await import('../support/chat-button')).ChatButton)

/**
 * The balance changes with orders; the session's copy is only the first answer. It is fetched after the
 * mount: fetched during it, every component that shows the user would render twice.
 */
function useFreshUser(): void {
  const client = useQueryClient()
  useEffect(() => {
    const timer = setTimeout(() => void client.prefetchQuery({ ...userQuery, staleTime: 0 }))
    return () => clearTimeout(timer)
  }, [client])
}

/** What is urgent stands among specification §2's sections, which keep their order. */
export function Dashboard() {
  const user = useSignedInUser()
  useFreshUser()
  const name = user.firstName || user.email
  const latest = useInfiniteQuery(latestOrder)
  const bought = latest.data ? rowsOf(latest.data.pages).length > 0 : false
  return (
    <Page title={dashboard.title} lead={dashboard.welcome(name)}>
      <div className="space-y-3 pb-14 md:space-y-6">
        <Now>
          <Stats balance={user.accountBalance} kycStatus={user.kycStatus} />
        </Now>
        <QuickActions />
        <IdentityCard />
        <FoldedWide value={bought}>
          <div className="grid gap-6 xl:grid-cols-2">
            <Further room="[--room:12rem] md:[--room:27rem]">
              <Suspense fallback={<Coming id="crypto-swap" />}>
                <PurchaseCard />
              </Suspense>
            </Further>
            <Further rail="gift_card" room="[--room:12rem] md:[--room:32rem]">
              <Suspense fallback={<Coming id="gift-cards" />}>
                <TradeCard />
              </Suspense>
            </Further>
          </div>
          <Further rail="voucher" room="[--room:12rem] md:[--room:13rem]">
            <Suspense fallback={<Coming id="voucher-redemption" />}>
              <RedeemCard />
            </Suspense>
          </Further>
          <Further room="[--room:65rem]">
            <Suspense fallback={<Coming id="recent" />}>
              <RecentTransactions />
            </Suspense>
          </Further>
          <Further room="[--room:12rem] md:[--room:52rem] lg:[--room:28rem]">
            <Suspense fallback={<Coming id="support" />}>
              <SupportCard />
            </Suspense>
          </Further>
        </FoldedWide>
        <SendMoney />
      </div>
      <Suspense>
        <ChatButton />
      </Suspense>
    </Page>
  )
}

const kycColours = {
  success: 'text-success-text',
  danger: 'text-danger-text',
  pending: 'text-pending-text',
} as const

function Stats({ balance, kycStatus }: { balance: string; kycStatus: string }) {
  const summary = useQuery(transactionsSummaryQuery({}))
  const look = dashboardKycLook(kycStatus)
  const colour = look.tone in kycColours ? kycColours[look.tone as keyof typeof kycColours] : ''
  return (
    <dl className="grid grid-cols-2 gap-3 *:first:col-span-2 sm:grid-cols-3 sm:*:first:col-span-1 md:gap-4">
      <Stat
        name={dashboard.balance}
        hint={
          <Link
            to="/balance"
            className="rounded-sm font-medium text-primary underline-offset-4 hover:underline"
          >
            {dashboard.balanceHistory}
          </Link>
        }
      >
        <Usd amount={balance} />
      </Stat>
      <Stat name={dashboard.activeTrades}>{count(summary.data?.active)}</Stat>
      <Stat name={dashboard.kycStatus} hint={kycStatus === 'not_started' && dashboard.kycNotStarted}>
        <span className={colour}>{look.label}</span>
      </Stat>
    </dl>
  )
}

const quickActions = [
  { hash: 'crypto-swap', label: dashboard.actions.swap, icon: ArrowLeftRight },
  { hash: 'gift-cards', rail: 'gift_card', label: dashboard.actions.giftCards, icon: Gift },
  { hash: 'voucher-redemption', rail: 'voucher', label: dashboard.actions.voucher, icon: Ticket },
  { hash: 'send-money', label: dashboard.actions.send, icon: Globe },
]

function QuickActions() {
  const offers = useOffered('rails')
  return (
    <nav aria-label={dashboard.quickActions} className="flex flex-wrap items-center gap-2">
      <h2 className="w-full text-base lg:mr-2 lg:w-auto">{dashboard.quickActions}</h2>
      {quickActions
        .filter(({ rail }) => offers(rail))
        .map(({ hash, label, icon: Icon }) => (
          <a
            key={hash}
            href={`#${hash}`}
            className={cn(buttonVariants({ variant: 'outline' }), 'border-border')}
          >
            <Icon aria-hidden />
            {label}
          </a>
        ))}
    </nav>
  )
}

/** A section further down: laid out and painted when the window comes near (app.css), with about its room until then. */
function Further({ room, rail, children }: { room: string; rail?: string; children: ReactNode }) {
  return useOffered('rails')(rail) && <div className={cn('further grid grid-cols-1', room)}>{children}</div>
}

/** The place of a card that is being fetched: links to its anchor already find it. */
function Coming({ id }: { id: string }) {
  return (
    <div id={id} className="min-h-(--room)">
      <LoadingRows rows={3} />
    </div>
  )
}

function SendMoney() {
  return (
    <section id="send-money" className="px-4 text-sm text-muted-foreground md:px-6">
      <h2 className="inline text-sm text-foreground">{dashboard.sendTitle}</h2> ·{' '}
      <Link to="/payouts/new" className="font-medium text-primary underline underline-offset-4">
        {dashboard.sendText}
      </Link>
    </section>
  )
}
