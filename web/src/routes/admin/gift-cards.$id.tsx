import { createFileRoute } from '@tanstack/react-router'
import { parseGiftCardFilter } from '@/features/admin/gift-cards/filters'
import { AdminGiftCardScreen } from '@/features/admin/gift-cards/gift-card-screen'

export const Route = createFileRoute('/admin/gift-cards/$id')({
  validateSearch: parseGiftCardFilter,
  component: GiftCard,
})

function GiftCard() {
  return <AdminGiftCardScreen id={Route.useParams().id} filter={Route.useSearch()} />
}
