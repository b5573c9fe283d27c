import { createFileRoute } from '@tanstack/react-router'
import { parseKycFilter } from '@/features/admin/kyc/filters'
import { KycCaseScreen } from '@/features/admin/kyc/kyc-case-screen'

export const Route = createFileRoute('/admin/kyc/$id')({
  validateSearch: parseKycFilter,
  component: Identity,
})

function Identity() {
  return <KycCaseScreen id={Route.useParams().id} filter={Route.useSearch()} />
}
