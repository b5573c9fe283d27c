import type { Order } from '@/api/types.gen'

/** What an order waits for its customer to do. */
export const actionTexts = {
  kinds: {
    pay: 'Pay for this order',
    choose: 'Choose how this order continues',
    address: 'Enter another address',
    confirm_address: 'Confirm the link in your e-mail',
    identity: 'Verify your identity again',
  } satisfies Record<NonNullable<Order['action']>['kind'], string>,
  by: (what: string, time: string, left: string) => `${what} by ${time} (${left} left)`,
  many: (count: string) => `Action needed on ${count} orders`,
  open: 'Open order',
  heldAccount:
    'You can’t buy, sell, redeem or pay out right now, and open orders are paused. Your money is safe.',
  all: 'See all orders',
} as const
