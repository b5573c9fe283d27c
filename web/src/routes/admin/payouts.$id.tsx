import { createFileRoute } from '@tanstack/react-router'
import { AdminPayoutScreen } from '@/features/admin/payout-screen'

export const Route = createFileRoute('/admin/payouts/$id')({ component: Payout })

function Payout() {
  return <AdminPayoutScreen id={Route.useParams().id} />
}
