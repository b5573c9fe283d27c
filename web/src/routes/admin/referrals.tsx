import { createFileRoute } from '@tanstack/react-router'
import { parseRewardFilter } from '@/features/admin/referrals/filters'
import { AdminReferralsScreen } from '@/features/admin/referrals/referrals-screen'

export const Route = createFileRoute('/admin/referrals')({
  validateSearch: parseRewardFilter,
  component: Rewards,
})

function Rewards() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <AdminReferralsScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
