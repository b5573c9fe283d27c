import { createFileRoute } from '@tanstack/react-router'
import { ApprovalsScreen } from '@/features/admin/approvals/approvals-screen'
import { parseApprovalFilter } from '@/features/admin/approvals/filters'

export const Route = createFileRoute('/admin/approvals')({
  validateSearch: parseApprovalFilter,
  component: Approvals,
})

function Approvals() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <ApprovalsScreen filter={filter} onFilter={(search) => void navigate({ search })} />
}
