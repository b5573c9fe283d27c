import type { SearchHit } from '@/api/types.gen'

/** The search over the whole back office. */
export const adminSearch = {
  title: 'Find anything',
  label: 'Search the back office',
  placeholder: 'ID, reference, name, e-mail, address, transaction…',
  results: 'Results',
  pages: 'Go to',
  kinds: {
    customer: 'Customers',
    order: 'Orders',
    payout: 'Payouts',
    gift_card: 'Gift cards',
    voucher: 'Vouchers',
    ticket: 'Tickets',
    treasury_move: 'Treasury moves',
    break: 'Breaks',
  } satisfies Record<SearchHit['kind'], string>,
  more: 'Type at least 3 characters to search customers, orders and everything else.',
  searching: 'Searching…',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  nothing: 'No results',
  nothingHint: 'Try a full ID, reference or e-mail address.',
  failed: 'Search failed',
  keys: '↑ ↓ to choose, Enter to open, Esc to close',
} as const
