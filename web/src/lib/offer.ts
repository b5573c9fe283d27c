import { useConfig } from './session'

/** Whether something is offered here. An empty list of the configuration narrows nothing, and nothing is no rail. */
export function useOffered(kind: 'assets' | 'rails' | 'languages'): (one: string | undefined) => boolean {
  const offered = useConfig().offer[kind]
  return (one) => !one || !offered[0] || offered.includes(one)
}

/** Whether the configuration narrows nothing: then texts may name what they do not list from it. */
export function useWhole(): boolean {
  const { assets, rails } = useConfig().offer
  return !assets[0] && !rails[0]
}
