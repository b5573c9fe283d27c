import { createFileRoute } from '@tanstack/react-router'
import { PayoutScreen } from '@/features/payouts/payout-screen'

export const Route = createFileRoute('/_app/payouts/$id')({ component: PayoutRoute })

function PayoutRoute() {
  return <PayoutScreen id={Route.useParams().id} />
}
