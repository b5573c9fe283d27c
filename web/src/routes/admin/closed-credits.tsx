import { createFileRoute } from '@tanstack/react-router'
import { ClosedCreditsScreen, type ClosedView } from '@/features/admin/closed-credits-screen'

export const Route = createFileRoute('/admin/closed-credits')({
  validateSearch: (search: Record<string, unknown>): { view?: ClosedView } =>
    search.view === 'sent_back' ? { view: search.view } : {},
  component: ClosedCredits,
})

function ClosedCredits() {
  const { view = 'open' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <ClosedCreditsScreen
      view={view}
      onView={(chosen) => void navigate({ search: chosen === 'open' ? {} : { view: chosen } })}
    />
  )
}
