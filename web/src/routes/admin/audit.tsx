import { createFileRoute } from '@tanstack/react-router'
import { AuditScreen } from '@/features/admin/audit/audit-screen'
import { parseAuditFilter } from '@/features/admin/audit/filters'

export const Route = createFileRoute('/admin/audit')({
  validateSearch: parseAuditFilter,
  component: Audit,
})

function Audit() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <AuditScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
}
