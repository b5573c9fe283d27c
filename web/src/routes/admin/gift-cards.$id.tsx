import { createFileRoute } from '@tanstack/react-router'
import { AdminGiftCardScreen } from '@/features/admin/gift-card-screen'

export const Route = createFileRoute('/admin/gift-cards/$id')({ component: GiftCard })

function GiftCard() {
  return <AdminGiftCardScreen id={Route.useParams().id} />
}
