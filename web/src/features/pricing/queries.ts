import { queryOptions } from '@tanstack/react-query'
import { getExchangeRates, getPriceHistory } from '@/api/sdk.gen'
import { PRICE_POLL_MS } from './public-prices'

/** Asset → US dollars. */
export const ratesQuery = queryOptions({
  queryKey: ['exchange-rates'],
  queryFn: async ({ signal }) => (await getExchangeRates({ signal })).data,
  refetchInterval: PRICE_POLL_MS,
  staleTime: 0,
})

/** A point comes every ten minutes. */
const HISTORY_POLL_MS = 300_000

/** How the prices went in the last day. */
export const priceHistoryQuery = queryOptions({
  queryKey: ['price-history'],
  queryFn: async ({ signal }) => (await getPriceHistory({ signal })).data,
  refetchInterval: HISTORY_POLL_MS,
  staleTime: 0,
})
