import { createFileRoute } from '@tanstack/react-router'
import { parsePayoutFilter } from '@/features/admin/payouts/filters'
import { AdminPayoutScreen } from '@/features/admin/payouts/payout-screen'

export const Route = createFileRoute('/admin/payouts/$id')({
  validateSearch: parsePayoutFilter,
  component: Payout,
})

function Payout() {
  return <AdminPayoutScreen id={Route.useParams().id} filter={Route.useSearch()} />
}
