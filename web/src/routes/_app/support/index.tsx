import { createFileRoute } from '@tanstack/react-router'
import { TicketsScreen } from '@/features/support/tickets-screen'
import { text } from '@/lib/search'

/** What a new ticket is about: an order or a gift card, and what that is called. */
interface SupportSearch {
  order?: string | undefined
  card?: string | undefined
  about?: string | undefined
}

export const Route = createFileRoute('/_app/support/')({
  validateSearch: (search: Record<string, unknown>): SupportSearch => ({
    order: text(search.order)?.slice(0, 64),
    card: text(search.card)?.slice(0, 64),
    about: text(search.about)?.slice(0, 20),
  }),
  component: SupportRoute,
})

function SupportRoute() {
  const { order, card, about } = Route.useSearch()
  return <TicketsScreen about={{ orderId: order, giftCardId: card }} reference={about} />
}
