import { oneOf } from '@/lib/search'

export const pricingTabs = ['payment-methods', 'volume-tiers', 'kyc-levels', 'locations'] as const

export type PricingTab = (typeof pricingTabs)[number]

export function parsePricingTab(search: Record<string, unknown>): { tab?: PricingTab | undefined } {
  return { tab: oneOf(pricingTabs, search.tab) }
}
