import { createFileRoute } from '@tanstack/react-router'
import { KycCaseScreen } from '@/features/admin/kyc-case-screen'

export const Route = createFileRoute('/admin/kyc/$id')({ component: Identity })

function Identity() {
  return <KycCaseScreen id={Route.useParams().id} />
}
