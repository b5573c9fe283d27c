import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { PublicPrices } from '@/api/types.gen'
import { publicPricesQuery } from './public-prices'

/** None at first, as in the prerendered page: another part of it may have fetched them before this one hydrates. */
export function useLivePrices(): PublicPrices | undefined {
  const { data } = useQuery(publicPricesQuery)
  const [hydrated, setHydrated] = useState(false)
  useEffect(() => setHydrated(true), [])
  return hydrated ? data : undefined
}
