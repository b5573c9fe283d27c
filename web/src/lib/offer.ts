import { type Asset, assets } from '@/api/lists.gen'
import { useConfig } from './session'

/** The most decimals an amount can have: what the exchange can buy. */
export const amountDecimals: Record<Asset, number> = { BTC: 8, ETH: 8, USDT: 6, USDC: 6 }

/** The coins that are offered here. */
export const useCoins = (): Asset[] => assets.filter(useOffered('assets'))

/**
 * Whether something is offered here, to this person, and nothing is no rail. An empty list narrows nothing in what is
 * rendered without a server; every server names a language, and an empty list of its offer has nothing.
 */
export function useOffered(kind: 'assets' | 'rails' | 'languages'): (one: string | undefined) => boolean {
  const { offer } = useConfig()
  return (one) => !one || !(offer[kind][0] ?? offer.languages[0]) || offer[kind].includes(one)
}

/** Whether all that texts name without a list is offered: none or all of the coins are listed, and these rails. */
export function useWhole(): boolean {
  const rails = useOffered('rails')
  return !(useConfig().offer.assets.length % assets.length) && ['card', 'ach', 'wire', 'cash'].every(rails)
}
