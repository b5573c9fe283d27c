import { queryOptions } from '@tanstack/react-query'
import { getExchangeRates } from '@/api/sdk.gen'
import { PRICE_POLL_MS } from './public-prices'

/** Asset → US dollars. */
export const ratesQuery = queryOptions({
  queryKey: ['exchange-rates'],
  queryFn: async ({ signal }) => (await getExchangeRates({ signal })).data,
  refetchInterval: PRICE_POLL_MS,
  staleTime: 0,
})
