import {
  approveGiftCard,
  claimGiftCard,
  getAdminGiftCard,
  getGiftCardsSummary,
  listAdminGiftCards,
  realiseGiftCard,
  rejectGiftCard,
  revealGiftCard,
  reverseGiftCardClaim,
} from '@/api/admin.gen'
import type { Outcome } from '@/api/types.gen'
import { withCode } from '@/features/two-factor/step-up'
import { pagedQuery, polledQuery } from '../shared/polled'
import { asked, shownStatus } from '../shared/queue-filter'
import type { GiftCardFilter } from './filters'

export const adminGiftCardsQuery = (filter: GiftCardFilter) =>
  pagedQuery(
    ['admin-gift-cards', 'list'],
    { ...asked(filter), status: shownStatus(filter.status, filter.q, 'in_review') },
    (query, signal) => listAdminGiftCards({ query, signal }),
  )

export const giftCardsSummaryQuery = (filter: GiftCardFilter) =>
  polledQuery(
    ['admin-gift-cards', 'summary', filter],
    (signal) => getGiftCardsSummary({ query: asked(filter), signal }),
    { keep: true },
  )

export const adminGiftCardQuery = (id: string) =>
  polledQuery(['admin-gift-cards', 'one', id], (signal) => getAdminGiftCard({ path: { id }, signal }))

export const cardDecisions = {
  approve: async (id: string, value: string, version = ''): Promise<Outcome> =>
    (await approveGiftCard({ path: { id }, body: { value, version } })).data,
  reject: async (id: string, reason: string): Promise<Outcome> =>
    (await rejectGiftCard({ path: { id }, body: { reason } })).data,
  realise: async (id: string, amount: string, reference: string): Promise<Outcome> =>
    (await realiseGiftCard({ path: { id }, body: { amount, reference } })).data,
}

/** What two people decide about a card that was found used. */
export const cardClaims = {
  claim: (id: string, body: { amount: string; takenBack: string; bankReference: string; reason: string }) =>
    claimGiftCard({ path: { id }, body }),
  reverse: (id: string, body: { paidAgain: string; bankReference: string; reason: string }) =>
    reverseGiftCardClaim({ path: { id }, body }),
}

/** What is printed on the card: read on request, kept on the screen only. */
export async function reveal(id: string, code?: string) {
  return (await revealGiftCard({ path: { id }, ...withCode(code) })).data
}
