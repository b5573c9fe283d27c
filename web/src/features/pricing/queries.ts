import { queryOptions } from '@tanstack/react-query'
import { getExchangeRates, getPublicPrices } from '@/api/sdk.gen'

/** SPEC §9: prices every 30 s. */
const POLL_MS = 30_000

export const publicPricesQuery = queryOptions({
  queryKey: ['public-prices'],
  queryFn: async ({ signal }) => (await getPublicPrices({ signal })).data,
  refetchInterval: POLL_MS,
  staleTime: 0,
})

/** Asset → US dollars. */
export const ratesQuery = queryOptions({
  queryKey: ['exchange-rates'],
  queryFn: async ({ signal }) => (await getExchangeRates({ signal })).data,
  refetchInterval: POLL_MS,
  staleTime: 0,
})
