import { assets } from '@/api/lists.gen'
import { useCoins } from '@/lib/offer'

/** Whether a currency is money, or a coin that is offered. */
export function useSold(): (currency: string) => boolean {
  const offered: readonly string[] = useCoins()
  return (currency) => currency === 'USD' || offered.includes(currency)
}

export const currencies = ['USD', ...assets] as const

/** "2026-01-31", or nothing. */
export function day(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined
}

export function isNarrowed(filter: object): boolean {
  return Object.values(filter).some(Boolean)
}

/** The server's file, under the same filters. */
export function fileHref(path: string, filter: object): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(filter)) if (value) query.set(key, value)
  const search = query.toString()
  return `/api/admin/${path}/export${search ? `?${search}` : ''}`
}
