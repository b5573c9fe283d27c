import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeftRight, Gift, Globe, MessageCircle } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Page } from '@/components/layout/page'
import { Stat, Usd } from '@/components/money/money'
import { LoadingRows } from '@/components/states/states'
import { dashboardKycLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card, CardLead, CardTitle } from '@/components/ui/card'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { useConfig, userQuery, useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { dashboard } from '@/messages/dashboard'
import { IdentityCard } from '../kyc/identity-card'
import { transactionsSummaryQuery } from '../transactions/queries'
import { PurchaseCard } from './purchase-card'
import { RecentTransactions } from './recent-transactions'

/** With its catalogue it is more than the rest of the page needs at once. */
const TradeCard = lazy(async () => ({ default: (await import('../gift-cards/trade-card')).TradeCard }))

/** The balance moves with orders; the session's copy is only the first answer. */
const liveUserQuery = { ...userQuery, staleTime: 0 }

/** SPEC §2's sections in its order; a section stands here once its feature does. */
export function Dashboard() {
  const user = useSignedInUser()
  useQuery(liveUserQuery)
  const name = user.firstName || user.email
  return (
    <Page title={dashboard.title} lead={dashboard.welcome(name)}>
      <div className="space-y-6">
        <Stats balance={user.accountBalance} kycStatus={user.kycStatus} />
        <QuickActions />
        <IdentityCard />
        <div className="grid items-start gap-6 xl:grid-cols-2">
          <PurchaseCard />
          <Suspense fallback={<LoadingRows rows={3} />}>
            <TradeCard />
          </Suspense>
        </div>
        <SendMoney />
        <RecentTransactions />
        <Support />
      </div>
      <ChatButton />
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
    <dl className="grid grid-cols-1 gap-4 sm:grid-cols-3">
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
      <Stat name={dashboard.kycStatus}>
        <span className={colour}>{look.label}</span>
      </Stat>
    </dl>
  )
}

const quickActions = [
  { hash: 'crypto-swap', label: dashboard.actions.swap, icon: ArrowLeftRight },
  { hash: 'gift-cards', label: dashboard.actions.giftCards, icon: Gift },
  { hash: 'send-money', label: dashboard.actions.send, icon: Globe },
]

function QuickActions() {
  return (
    <nav aria-label={dashboard.quickActions} className="flex flex-wrap items-center gap-2">
      <h2 className="mr-2 text-base">{dashboard.quickActions}</h2>
      {quickActions.map(({ hash, label, icon: Icon }) => (
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

function SendMoney() {
  return (
    <Card id="send-money">
      <CardTitle>{dashboard.sendTitle}</CardTitle>
      <CardLead>{dashboard.sendText}</CardLead>
    </Card>
  )
}

function Support() {
  const { claims, supportEmail } = useConfig()
  return (
    <Card>
      <CardTitle>{dashboard.supportTitle}</CardTitle>
      <CardLead>{dashboard.supportLead}</CardLead>
      <div className="mt-4 divide-y">
        {dashboard.faq(claims.kycFreeUnderUsd).map(({ q, a }) => (
          <details key={q} className="group py-3">
            <summary className="font-medium">{q}</summary>
            <p className="mt-2 max-w-prose text-sm text-muted-foreground">{a}</p>
          </details>
        ))}
      </div>
      {supportEmail ? (
        <a
          href={`mailto:${supportEmail}`}
          className={buttonVariants({ variant: 'outline', className: 'mt-4' })}
        >
          {dashboard.contact}
        </a>
      ) : null}
      <Link to="/pricing" className={buttonVariants({ variant: 'ghost', className: 'mt-4 ml-2' })}>
        {dashboard.fees}
      </Link>
    </Card>
  )
}

/** SPEC §1: the floating button on the dashboard shows a placeholder toast. */
function ChatButton() {
  return (
    <Button
      size="icon"
      aria-label={dashboard.chatLabel}
      className="fixed right-4 bottom-4 z-30 size-12 rounded-full md:size-12"
      onClick={() => toast({ title: dashboard.chatTitle, description: dashboard.chatText })}
    >
      <MessageCircle aria-hidden />
    </Button>
  )
}
