import { createFileRoute } from '@tanstack/react-router'
import { TreasuryMoveScreen } from '@/features/admin/treasury/treasury-move-screen'

export const Route = createFileRoute('/admin/treasury/$id')({ component: Move })

function Move() {
  return <TreasuryMoveScreen id={Route.useParams().id} />
}
