import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { Notice } from '@/components/states/states'
import { Skeleton } from '@/components/ui/skeleton'
import { rowsOf } from '@/lib/paging'
import { type User, useSignedInUser } from '@/lib/session'
import { dashboard } from '@/messages/dashboard'
import { kycQuery } from '../kyc/queries'
import { isFinal } from '../kyc/texts'
import { ordersQuery } from '../orders/queries'
import { useKnownActions, waitingFirst } from '../orders/use-actions'
import { nextStepOf } from './next-step'
import { holdWay, NextStepCard } from './next-step-card'
import { OpenOrders } from './open-orders'
import { part } from './part'

const PricesCard = part(async () => (await import('./prices-card')).PricesCard)

/** As many as fit beside the prices; a phone shows fewer of them (open-orders.tsx). */
const SHOWN = 3
const openOrders = ordersQuery({ legacyStatus: ['pending', 'payment_processing'], limit: SHOWN })
export const latestOrder = ordersQuery({ limit: 1 })

/**
 * What comes first: the next step, what there is, open orders and the prices. It ends within 800 px of a wide page, and
 * within 1,100 px of a phone's (dashboard.spec.ts). The form to buy is specification §2's, below.
 */
export function Now({ children }: { children: ReactNode }) {
  const user = useSignedInUser()
  const { actions, failed } = useKnownActions()
  const open = useInfiniteQuery(openOrders)
  const latest = useInfiniteQuery(latestOrder)
  const orders = open.data ? waitingFirst(rowsOf(open.data.pages), actions ?? []).slice(0, SHOWN) : undefined
  const boughtBefore = latest.data ? rowsOf(latest.data.pages).length > 0 : undefined
  const { data: identity } = useQuery({ ...kycQuery('dashboard'), enabled: user.kycStatus === 'rejected' })
  const step = nextStepOf(user, actions, latest.isError ? true : boughtBefore, identity && isFinal(identity))
  return (
    <>
      {user.hold && step?.kind !== user.hold ? <Hold hold={user.hold} /> : null}
      {step ? (
        <NextStepCard step={step} waiting={actions?.length ?? 0} />
      ) : failed ? null : (
        <Skeleton className="h-20" />
      )}
      {children}
      <div className="grid gap-3 md:gap-6 lg:grid-cols-2">
        <OpenOrders orders={orders} error={open.error} retry={() => void open.refetch()} />
        <div className="grid min-h-58 min-w-0 grid-cols-1 lg:min-h-88">
          <Suspense>
            <PricesCard />
          </Suspense>
        </div>
      </div>
    </>
  )
}

/** What blocks every new order is shown before any form is filled in, also where another item comes first. */
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
