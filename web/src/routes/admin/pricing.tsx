import { createFileRoute } from '@tanstack/react-router'
import { parsePricingTab } from '@/features/admin/pricing/filters'
import { AdminPricingScreen } from '@/features/admin/pricing/pricing-screen'

export const Route = createFileRoute('/admin/pricing')({
  validateSearch: parsePricingTab,
  component: Pricing,
})

function Pricing() {
  const { tab } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminPricingScreen
      tab={tab ?? 'payment-methods'}
      onTab={(next) => void navigate({ search: { tab: next } })}
    />
  )
}
