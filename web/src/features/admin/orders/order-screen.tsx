import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { AdminOrderDetail } from '@/api/types.gen'
import { NotFound } from '@/components/layout/not-found'
import { PageHead } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { buttonVariants } from '@/components/ui/button-variants'
import { HttpError } from '@/lib/http'
import { adminOrder as texts } from '@/messages/admin-order'
import { adminOrderQuery } from '../shared/order-decisions'
import { OrderBody } from './order-body'
import { OrderBadges, OrderLead, orderTitle } from './order-head'

/** One order with everything staff may see of it, and every button they have. */
export function AdminOrderScreen({ id }: { id: string }) {
  const query = useQuery(adminOrderQuery(id))
  if (query.error instanceof HttpError && query.error.status === 404) return <NotFound />
  const order = query.data
  if (!order) {
    return (
      <>
        <PageHead title={texts.facts} />
        {query.error ? (
          <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
        ) : (
          <LoadingRows rows={3} />
        )}
      </>
    )
  }
  return <Loaded order={order} />
}

function Loaded({ order }: { order: AdminOrderDetail }) {
  return (
    <>
      <PageHead
        title={orderTitle(order)}
        lead={<OrderLead order={order} />}
        status={<OrderBadges order={order} />}
        actions={
          <Link to="/admin/orders" className={buttonVariants({ variant: 'outline', size: 'sm' })}>
            <ArrowLeft aria-hidden />
            {texts.back}
          </Link>
        }
      />
      <OrderBody order={order} />
    </>
  )
}
