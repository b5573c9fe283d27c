import { createFileRoute } from '@tanstack/react-router'
import { parsePostingFilter } from '@/features/admin/ledger/filters'
import { PostingsScreen } from '@/features/admin/ledger/postings-screen'

export const Route = createFileRoute('/admin/ledger/postings')({
  validateSearch: parsePostingFilter,
  component: Postings,
})

function Postings() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return <PostingsScreen filter={filter} onFilter={(search, replace) => void navigate({ search, replace })} />
}
