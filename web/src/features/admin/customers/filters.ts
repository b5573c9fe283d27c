import { oneOf, text } from '@/lib/search'

export const customerKyc = ['not_started', 'pending', 'verified', 'enhanced'] as const

export const volumeTiers = ['bronze', 'silver', 'gold', 'platinum'] as const

export interface CustomerFilter {
  kyc?: (typeof customerKyc)[number] | undefined
  tier?: (typeof volumeTiers)[number] | undefined
  q?: string | undefined
}

export function parseCustomerFilter(search: Record<string, unknown>): CustomerFilter {
  return {
    kyc: oneOf(customerKyc, search.kyc),
    tier: oneOf(volumeTiers, search.tier),
    q: text(search.q)?.slice(0, 100),
  }
}
