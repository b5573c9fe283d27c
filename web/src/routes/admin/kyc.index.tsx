import { createFileRoute } from '@tanstack/react-router'
import { parseKycFilter } from '@/features/admin/kyc/filters'
import { AdminKycScreen } from '@/features/admin/kyc/kyc-screen'

export const Route = createFileRoute('/admin/kyc/')({
  validateSearch: parseKycFilter,
  component: Identities,
})

function Identities() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <AdminKycScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
}
