import type { QueryClient } from '@tanstack/react-query'

/** The kinds of case on the server (models/casework/case.go) whose events reach the browser. */
export const matters = [
  'voucher',
  'payout',
  'ticket',
  'referral',
  'two_factor',
  'data_export',
  'team',
] as const
/** What an event of the server is about. */
export const kinds = ['order', 'kyc', 'user', 'payment', 'gift-card', ...matters] as const

export interface LiveEvent {
  kind: (typeof kinds)[number]
  id?: string
}

/** Which queries show what an event is about. Keys begin with these names everywhere. */
const shownBy: Record<LiveEvent['kind'], readonly string[]> = {
  order: [
    'orders',
    'order',
    'transactions',
    'withdrawals',
    'limits',
    'user',
    'balance',
    'admin-orders',
    'admin-order',
    'admin-payments',
    'admin-approvals',
  ],
  payment: ['orders', 'order', 'balance', 'admin-payments', 'admin-orders', 'admin-order'],
  'gift-card': [
    'gift-cards',
    'gift-card',
    'balance',
    'user',
    'transactions',
    'admin-gift-cards',
    'admin-approvals',
  ],
  kyc: ['kyc', 'user', 'limits', 'config', 'admin-kyc'], // a verified country decides which methods are offered
  user: ['user', 'kyc', 'limits'],
  voucher: [
    'vouchers',
    'voucher',
    'transactions',
    'user',
    'admin-vouchers',
    'admin-voucher',
    'admin-approvals',
  ],
  payout: ['payouts', 'payout', 'balance', 'user', 'admin-payouts', 'admin-payout', 'admin-approvals'],
  ticket: ['tickets', 'ticket', 'admin-tickets', 'admin-ticket'],
  referral: ['referrals', 'balance', 'user', 'admin-referrals'],
  two_factor: ['two-factor', 'sessions', 'user', 'admin-recoveries', 'admin-approvals'],
  data_export: ['data-exports', 'user'],
  team: ['admin-team', 'admin-approvals', 'user'],
}

export function invalidate(client: QueryClient, event: LiveEvent): void {
  const keys = new Set(shownBy[event.kind])
  void client.invalidateQueries({ predicate: (query) => keys.has(String(query.queryKey[0])) })
}
