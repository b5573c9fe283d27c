import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { rowsOf } from '@/lib/paging'
import { part } from '@/lib/part'
import { useSignedInUser } from '@/lib/session'
import { ordersQuery } from '../orders/queries'
import { nextStepOf } from './next-step'
import { NextStepCard } from './next-step-card'
import { OpenOrders } from './open-orders'

const Calculator = part(async () => (await import('../calculator/calculator')).Calculator)

const PricesCard = part(async () => (await import('./prices-card')).PricesCard)

const SHOWN = 3
const openOrders = ordersQuery({ legacyStatus: ['pending', 'payment_processing'], limit: SHOWN })
const latestOrder = ordersQuery({ limit: 1 })

/** What matters now: the next step, what there is, open orders, one way to buy, and the prices. */
export function Now({ children }: { children: ReactNode }) {
  const user = useSignedInUser()
  const open = useInfiniteQuery(openOrders)
  const latest = useInfiniteQuery(latestOrder)
  const orders = open.data ? rowsOf(open.data.pages).slice(0, SHOWN) : undefined
  const boughtBefore = latest.data === undefined || rowsOf(latest.data.pages).length > 0
  return (
    <>
      <NextStepCard step={nextStepOf(user, orders ?? [], boughtBefore)} />
      {children}
      <div className="grid gap-6 lg:grid-cols-2">
        <OpenOrders orders={orders} error={open.error} retry={() => void open.refetch()} />
        <div className="grid min-h-110 min-w-0 grid-cols-1">
          <Suspense>
            <Calculator className="bg-card" />
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
