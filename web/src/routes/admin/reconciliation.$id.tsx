import { createFileRoute } from '@tanstack/react-router'
import { BreakScreen } from '@/features/admin/reconciliation/reconciliation-break-screen'

export const Route = createFileRoute('/admin/reconciliation/$id')({ component: Break })

function Break() {
  return <BreakScreen id={Route.useParams().id} />
}
