import { useConfig } from './session'

/** Whether something is offered here. An empty list of the configuration narrows nothing, and nothing is no rail. */
export function useOffered(kind: 'assets' | 'rails' | 'languages'): (one: string | undefined) => boolean {
  const offered = useConfig().offer[kind]
  return (one) => !one || !offered[0] || offered.includes(one)
}
