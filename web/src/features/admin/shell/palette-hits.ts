import { queryOptions } from '@tanstack/react-query'
import { searchBackOffice } from '@/api/admin.gen'
import type { SearchHit } from '@/api/types.gen'
import {
  customerKycLooks,
  isOrderStatus,
  lookOfOrder,
  type StatusLook,
  type Tone,
} from '@/components/status/status'
import { linesOf, plain } from '@/lib/clean'
import { titled } from '@/lib/format'

/** The server searches for no less (models.SearchLeast). */
export const LEAST = 3

/**
 * What is searched for. References, ids and addresses consist of ASCII characters once they are cleaned, whatever
 * dashes and blanks were pasted. Names keep what they are written with.
 */
export function searchedOf(text: string): string {
  const bare = plain(text).trim()
  return /^[ -~]*$/.test(bare) ? bare : linesOf(text).replace(/\s+/g, ' ')
}

export function searchQuery(typed: string) {
  return queryOptions({
    queryKey: ['admin-search', typed],
    queryFn: async ({ signal }) => (await searchBackOffice({ query: { q: typed }, signal })).data ?? [],
    enabled: typed.length >= LEAST,
    staleTime: 0,
    gcTime: 0,
  })
}

/** The page of a hit. A voucher has none: its line of the list. */
export function pageOf(hit: SearchHit) {
  const params = { id: hit.id }
  switch (hit.kind) {
    case 'customer':
      return { to: '/admin/customers/$id', params } as const
    case 'order':
      return { to: '/admin/orders/$id', params } as const
    case 'payout':
      return { to: '/admin/payouts/$id', params } as const
    case 'gift_card':
      return { to: '/admin/gift-cards/$id', params } as const
    case 'ticket':
      return { to: '/admin/support/$id', params } as const
    case 'treasury_move':
      return { to: '/admin/treasury/$id', params } as const
    case 'break':
      return { to: '/admin/reconciliation/$id', params } as const
    case 'voucher':
      return { to: '/admin/vouchers', search: { q: hit.title } } as const
  }
}

const tones: Record<string, Tone> = {
  ...{ sent: 'success', paid: 'success', approved: 'success', realised: 'success', refunded: 'neutral' },
  ...{ failed: 'danger', rejected: 'danger', declined: 'danger', returned: 'danger' },
  ...{
    requested: 'pending',
    received: 'pending',
    offered: 'pending',
    in_review: 'pending',
    awaiting_approval: 'pending',
    open: 'pending',
  },
  ...{ active: 'info', in_progress: 'progress', redeemed: 'progress' },
}

/** Ends without a fault. */
const ends = new Set(['refunded', 'cancelled', 'expired', 'voided'])

/**
 * Where a status means something else: an open break is a problem, and a move that was sent is in progress.
 */
const otherTones: Partial<Record<SearchHit['kind'], Record<string, Tone>>> = {
  break: { open: 'danger', booked: 'success' },
  treasury_move: {
    ...{ proposed: 'pending', approved: 'info', sending: 'progress', unknown: 'danger', differs: 'danger' },
    ...{ sent: 'progress', arrived: 'success', rejected: 'danger', failed: 'danger' },
  },
}

/** How its status is drawn: an order's and an identity's as everywhere, another's by its own name. */
export function lookOf({ kind, status }: SearchHit): StatusLook {
  if (kind === 'order') {
    const authorised = status === 'authorised'
    const stored = authorised ? 'pending' : isOrderStatus(status) ? status : 'failed'
    return lookOfOrder({ status: stored, authorised, metadata: { resolution: status } })
  }
  if (kind === 'customer' && Object.hasOwn(customerKycLooks, status))
    return customerKycLooks[status as keyof typeof customerKycLooks]
  const tone = (otherTones[kind] ?? tones)[status] ?? 'neutral'
  return ends.has(status) ? { label: titled(status), tone, ended: true } : { label: titled(status), tone }
}
