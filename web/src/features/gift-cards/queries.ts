import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  acceptGiftCardOffer,
  declineGiftCardOffer,
  getGiftCard,
  getGiftCardCatalogue,
  listGiftCards,
  submitGiftCard,
} from '@/api/sdk.gen'
import type { GiftCardDetail, Outcome } from '@/api/types.gen'
import { toPage } from '@/lib/paging'
import { type CardForm, cleaned } from './form'

/** As often as orders; events make it sooner. */
const POLL_MS = 10_000

export const catalogueQuery = queryOptions({
  queryKey: ['gift-card-catalogue'],
  queryFn: async ({ signal }) => (await getGiftCardCatalogue({ signal })).data,
})

export const giftCardsQuery = infiniteQueryOptions({
  queryKey: ['gift-cards'],
  queryFn: async ({ pageParam, signal }) =>
    toPage(await listGiftCards({ query: pageParam ? { cursor: pageParam } : {}, signal })),
  initialPageParam: '',
  getNextPageParam: (last) => last.next,
  refetchInterval: POLL_MS,
  staleTime: 0,
})

export function isDecided(card: GiftCardDetail): boolean {
  return card.status !== 'in_review' && card.status !== 'offered'
}

/** One card; polled until it is decided. */
export function giftCardQuery(id: string) {
  return queryOptions({
    queryKey: ['gift-card', id],
    queryFn: async ({ signal }) => (await getGiftCard({ path: { id }, signal })).data,
    refetchInterval: ({ state }) => (state.data && isDecided(state.data) ? false : POLL_MS),
    staleTime: 0,
  })
}

export async function sell(typed: CardForm, images: readonly File[], payout: string, key: string) {
  const form = cleaned(typed)
  const { data } = await submitGiftCard({
    body: {
      brand: form.brand,
      value: form.value,
      cardCode: form.cardCode,
      cardType: form.cardType,
      exchangeRate: '0.85',
      payoutAmount: payout,
      ...(form.cardType === 'prepaid'
        ? { expirationDate: form.expirationDate, securityCode: form.securityCode }
        : { pin: form.pin }),
      ...(images.length > 0 ? { images: [...images] } : {}),
    },
    headers: { 'Idempotency-Key': key },
  })
  return data
}

/** The customer's answers to a counter-offer. */
export const offerAnswers = {
  accept: async (id: string): Promise<Outcome> => (await acceptGiftCardOffer({ path: { id } })).data,
  decline: async (id: string): Promise<Outcome> => (await declineGiftCardOffer({ path: { id } })).data,
}

export type OfferAnswer = keyof typeof offerAnswers
