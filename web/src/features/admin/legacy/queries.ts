import { listPendingGiftCards } from '@/api/admin.gen'
import { polledQuery } from '../shared/polled'

/** specification §9: the older panel shows so many. */
const REVIEWS = 5

export const pendingCardsQuery = polledQuery(['admin-gift-cards', 'pending'], (signal) =>
  listPendingGiftCards({ query: { limit: REVIEWS }, signal }),
)
