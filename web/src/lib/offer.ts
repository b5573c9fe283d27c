import { useConfig } from './session'

/** Whether something is offered here. An empty list of the configuration narrows nothing, and nothing is no rail. */
export function useOffered(kind: 'assets' | 'rails' | 'languages'): (one: string | undefined) => boolean {
  const offered = useConfig().offer[kind]
  return (one) => !one || !offered[0] || offered.includes(one)
}

/** Whether all that texts name without a list is offered: none or all four coins are listed, and these rails. */
export function useWhole(): boolean {
  const rails = useOffered('rails')
  return !(useConfig().offer.assets.length % 4) && ['card', 'ach', 'wire', 'cash'].every(rails)
}
