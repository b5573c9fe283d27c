import type { open } from '@/messages/open'

export type Waiting = keyof (typeof open)['waiting']

/** What waits at a path, by its beginning; the longest comes first. */
const places: [path: string, waiting: Waiting][] = [
  ['/orders/', 'order'],
  ['/orders', 'orders'],
  ['/buy', 'buy'],
  ['/wallet', 'wallet'],
  ['/balance', 'balance'],
  ['/transactions', 'transactions'],
  ['/kyc', 'kyc'],
  ['/payouts/', 'payout'],
  ['/gift-cards/', 'giftCard'],
  ['/gift-cards', 'giftCards'],
  ['/vouchers/', 'voucher'],
  ['/vouchers', 'vouchers'],
  ['/support/', 'ticket'],
  ['/support', 'support'],
  ['/settings/privacy', 'data'],
  ['/settings', 'settings'],
  ['/dashboard', 'dashboard'],
]

/** Of a path that is nothing of a customer's the page says no more than that there is one. */
export function waitingAt(to: string): Waiting {
  const path = to.replace(/[?#].*$/, '')
  return (
    places.find(([start]) => (start.endsWith('/') ? path.startsWith(start) : under(path, start)))?.[1] ??
    'page'
  )
}

function under(path: string, start: string): boolean {
  return path === start || path.startsWith(`${start}/`)
}
