import { queryOptions } from '@tanstack/react-query'
import type { PublicPrices } from '@/api/types.gen'
import { appFetch } from '@/lib/http'

/** specification §9: prices every 30 s. */
export const PRICE_POLL_MS = 30_000

/** The public prices. Without the generated client: the landing page uses it too, and loads little. */
export const publicPricesQuery = queryOptions({
  queryKey: ['public-prices'],
  queryFn: async ({ signal }): Promise<PublicPrices> =>
    (await appFetch('/api/public/prices', { signal })).json(),
  refetchInterval: PRICE_POLL_MS,
  staleTime: 0,
})
