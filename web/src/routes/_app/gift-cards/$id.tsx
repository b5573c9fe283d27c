import { createFileRoute } from '@tanstack/react-router'
import { GiftCardScreen } from '@/features/gift-cards/gift-card-screen'

export const Route = createFileRoute('/_app/gift-cards/$id')({ component: GiftCardRoute })

function GiftCardRoute() {
  return <GiftCardScreen id={Route.useParams().id} />
}
