import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { calculatePricing, createOrder, getLimits } from '@/api/sdk.gen'
import type { NewOrder, Pricing } from '@/api/types.gen'
import { HttpError } from '@/lib/http'
import { isPositive } from '@/lib/money'
import { serverNow } from '@/lib/server-clock'

export interface PriceQuestion {
  asset: string
  amountAsset: string
  paymentMethod: string
}

/** A price, and the moment it ends: the server's remaining time counted from the answer. */
export interface HeldPrice extends Pricing {
  endsAt: number
}

/** Asked only when the amount is above zero (specification §5). */
export function pricingQuery(question: PriceQuestion) {
  return queryOptions({
    queryKey: ['pricing', question],
    queryFn: async ({ signal }): Promise<HeldPrice> => {
      const { data } = await calculatePricing({ body: question, signal })
      return { ...data, endsAt: serverNow() + data.expiresInSeconds * 1000 }
    },
    enabled: isPositive(question.amountAsset) && question.paymentMethod !== '',
    placeholderData: keepPreviousData,
    // A held price is valid until its end: a restored connection requests no other before.
    staleTime: ({ state }) => (state.data?.expiresInSeconds ?? 0) * 1000,
    refetchOnReconnect: true,
    gcTime: 0,
    // Prices that are not there for now come back by themselves.
    refetchInterval: ({ state }) =>
      state.error instanceof HttpError && state.error.status >= 500 ? 10_000 : false,
  })
}

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: async ({ signal }) => (await getLimits({ signal })).data,
  staleTime: 0,
})

/** One intent to buy, under one key for all its retries. */
export async function placeOrder(order: NewOrder, key: string) {
  const { data } = await createOrder({ body: order, headers: { 'Idempotency-Key': key } })
  return data
}
