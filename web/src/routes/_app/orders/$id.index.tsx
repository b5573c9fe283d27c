import { createFileRoute } from '@tanstack/react-router'
import { OrderScreen } from '@/features/orders/order-screen'
import { oneOf } from '@/lib/search'

export const Route = createFileRoute('/_app/orders/$id/')({
  // The payment page comes back with ?paid=1: a hint for the screen, nothing more.
  validateSearch: (search: Record<string, unknown>): { paid?: '1' | undefined } => ({
    paid: oneOf(['1'], search.paid),
  }),
  component: Order,
})

function Order() {
  return <OrderScreen id={Route.useParams().id} returned={Route.useSearch().paid === '1'} />
}
