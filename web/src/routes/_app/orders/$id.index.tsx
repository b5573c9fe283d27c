import { createFileRoute, redirect } from '@tanstack/react-router'
import { listOrders } from '@/api/sdk.gen'
import { OrderScreen } from '@/features/orders/order-screen'
import { oneOf } from '@/lib/search'

export const Route = createFileRoute('/_app/orders/$id/')({
  // The payment page returns with ?paid=1: a signal for the screen only; the server decides.
  validateSearch: (search: Record<string, unknown>): { paid?: '1' | undefined } => ({
    paid: oneOf(['1'], search.paid),
  }),
  // Customers know an order by its reference, and write it where its id stands.
  beforeLoad: async ({ params }) => {
    if (!/^TP-/i.test(params.id)) return
    const found = await listOrders({ query: { q: params.id, limit: 2 } }).catch(() => undefined)
    const order = found?.data.find(({ reference }) => reference === params.id.toUpperCase())
    if (order) throw redirect({ to: '/orders/$id', params: { id: order.id }, replace: true })
  },
  component: Order,
})

function Order() {
  return <OrderScreen id={Route.useParams().id} returned={Route.useSearch().paid === '1'} />
}
