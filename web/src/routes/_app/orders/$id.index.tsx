import { createFileRoute } from '@tanstack/react-router'
import { OrderScreen } from '@/features/orders/order-screen'

export const Route = createFileRoute('/_app/orders/$id/')({ component: Order })

function Order() {
  return <OrderScreen id={Route.useParams().id} />
}
