import { useQuery } from '@tanstack/react-query'
import type { BuyMethod } from '@/api/types.gen'
import { fromDashboardMethod } from '../buy/draft'
import { limitsQuery } from '../buy/queries'

/** What a way to pay costs this customer, as /buy charges it. */
export type OwnTerms = Pick<
  BuyMethod,
  'margin' | 'volumeDiscount' | 'processingFee' | 'minAmount' | 'maxAmount'
>

/**
 * The customer's own terms by the method's name in the public prices. A method that /buy does not accept has
 * none: its public terms apply. Undefined until they are loaded.
 */
export function useOwnTerms(): ((method: string) => OwnTerms | undefined) | undefined {
  const { data } = useQuery(limitsQuery)
  if (!data) return undefined
  return (method) => {
    const own = data.methods.find((one) => one.method === (fromDashboardMethod[method] ?? method))
    if (!own) return undefined
    const { margin, volumeDiscount, processingFee, minAmount, maxAmount } = own
    return { margin, volumeDiscount, processingFee, minAmount, maxAmount }
  }
}
