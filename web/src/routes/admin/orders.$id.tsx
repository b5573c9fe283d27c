import { createFileRoute } from '@tanstack/react-router'
import { AdminOrderScreen } from '@/features/admin/orders/order-screen'

export const Route = createFileRoute('/admin/orders/$id')({ component: Order })

function Order() {
  return <AdminOrderScreen id={Route.useParams().id} />
}
