import { useConfig } from './session'

/** Whether something is offered here. An empty list of the configuration narrows nothing, and nothing is no rail. */
export function useOffered(kind: 'assets' | 'rails' | 'languages'): (one: string | undefined) => boolean {
  const offered = useConfig().offer[kind]
  return (one) => !one || !offered[0] || offered.includes(one)
}

/** Whether all is offered that a text names which does not list it from the configuration. */
export function useWhole(): boolean {
  const [assets, rails] = [useOffered('assets'), useOffered('rails')]
  return ['BTC', 'ETH', 'USDT', 'USDC'].every(assets) && ['card', 'ach', 'wire', 'cash'].every(rails)
}
