import { createFileRoute } from '@tanstack/react-router'
import { OrderScreen } from '@/features/orders/order-screen'
import { oneOf } from '@/lib/search'

export const Route = createFileRoute('/_app/orders/$id/')({
  // The payment page returns with ?paid=1: a signal for the screen only; the server decides.
  validateSearch: (search: Record<string, unknown>): { paid?: '1' | undefined } => ({
    paid: oneOf(['1'], search.paid),
  }),
  component: Order,
})

function Order() {
  return <OrderScreen id={Route.useParams().id} returned={Route.useSearch().paid === '1'} />
}
