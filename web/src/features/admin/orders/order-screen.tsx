import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { AdminOrderDetail } from '@/api/types.gen'
import { PageHead } from '@/components/layout/page'
import { buttonVariants } from '@/components/ui/button-variants'
import { adminOrder as texts } from '@/messages/admin-order'
import { adminOrderQuery } from '../shared/order-decisions'
import { RecordFrame } from '../shared/record-frame'
import { OrderBody } from './order-body'
import { OrderBadges, OrderLead, orderTitle } from './order-head'

/** One order with everything staff may see of it, and every button they have. */
export function AdminOrderScreen({ id }: { id: string }) {
  return (
    <RecordFrame query={useQuery(adminOrderQuery(id))} title={texts.facts} failed={texts.fetchFailed}>
      {(order) => <Loaded order={order} />}
    </RecordFrame>
  )
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
