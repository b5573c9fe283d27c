import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { Notice } from '@/components/states/states'
import { Skeleton } from '@/components/ui/skeleton'
import { rowsOf } from '@/lib/paging'
import { part } from '@/lib/part'
import { type User, useSignedInUser } from '@/lib/session'
import { dashboard } from '@/messages/dashboard'
import { ordersQuery } from '../orders/queries'
import { useKnownActions } from '../orders/use-actions'
import { nextStepOf } from './next-step'
import { holdWay, NextStepCard } from './next-step-card'
import { OpenOrders } from './open-orders'

const Calculator = part(async () => (await import('./own-calculator')).OwnCalculator)

const PricesCard = part(async () => (await import('./prices-card')).PricesCard)

const SHOWN = 3
const openOrders = ordersQuery({ legacyStatus: ['pending', 'payment_processing'], limit: SHOWN })
const latestOrder = ordersQuery({ limit: 1 })

/** What matters now: the next step, what there is, open orders, one way to buy, and the prices. */
export function Now({ children }: { children: ReactNode }) {
  const user = useSignedInUser()
  const { actions, failed } = useKnownActions()
  const open = useInfiniteQuery(openOrders)
  const latest = useInfiniteQuery(latestOrder)
  const orders = open.data ? rowsOf(open.data.pages).slice(0, SHOWN) : undefined
  const boughtBefore = latest.data ? rowsOf(latest.data.pages).length > 0 : undefined
  const step = nextStepOf(user, actions, latest.isError ? true : boughtBefore)
  return (
    <>
      {user.hold && step?.kind !== user.hold ? <Hold hold={user.hold} /> : null}
      {step ? <NextStepCard step={step} /> : failed ? null : <Skeleton className="h-20" />}
      {children}
      <div className="grid gap-6 lg:grid-cols-2">
        <OpenOrders orders={orders} error={open.error} retry={() => void open.refetch()} />
        <div className="grid min-h-110 min-w-0 grid-cols-1">
          <Suspense>
            <Calculator />
          </Suspense>
        </div>
      </div>
      <div className="grid min-h-66 lg:min-h-43">
        <Suspense>
          <PricesCard />
        </Suspense>
      </div>
    </>
  )
}

/** What stands in the way of everything new is told before anything is filled in, also where something else comes first. */
function Hold({ hold }: { hold: NonNullable<User['hold']> }) {
  const words = dashboard.holds[hold]
  return (
    <Notice tone="pending" icon={CircleAlert} title={words.title}>
      {words.text}{' '}
      <Link to={holdWay[hold]} className="font-semibold underline underline-offset-4">
        {words.link}
      </Link>
    </Notice>
  )
}
