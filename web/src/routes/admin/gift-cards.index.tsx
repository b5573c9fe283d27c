import { createFileRoute } from '@tanstack/react-router'
import { parseGiftCardFilter } from '@/features/admin/gift-cards/filters'
import { AdminGiftCardsScreen } from '@/features/admin/gift-cards/gift-cards-screen'

export const Route = createFileRoute('/admin/gift-cards/')({
  validateSearch: parseGiftCardFilter,
  component: GiftCards,
})

function GiftCards() {
  const filter = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AdminGiftCardsScreen
      filter={filter}
      onFilter={(search, replace) => void navigate({ search, replace })}
    />
  )
}
