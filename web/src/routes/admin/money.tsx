import { createFileRoute } from '@tanstack/react-router'
import { moneyViews } from '@/features/admin/book-filters'
import type { MoneyView } from '@/features/admin/money-queries'
import { MoneyScreen } from '@/features/admin/money-screen'

export const Route = createFileRoute('/admin/money')({
  validateSearch: (search: Record<string, unknown>): { view?: MoneyView } => {
    const view = moneyViews.find((one) => one === search.view)
    return view && view !== 'open' ? { view } : {}
  },
  component: Money,
})

function Money() {
  const { view = 'open' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <MoneyScreen
      view={view}
      onView={(chosen) => void navigate({ search: chosen === 'open' ? {} : { view: chosen } })}
    />
  )
}
