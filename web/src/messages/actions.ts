import type { Order } from '@/api/types.gen'

/** What an order waits for its customer to do. */
export const actionTexts = {
  kinds: {
    pay: 'Pay for this order',
    choose: 'Choose how this order continues',
    address: 'Enter another address',
    confirm_address: 'Confirm the link in your e-mail',
    confirm_order: 'Confirm by mail',
    identity: 'Verify your identity again',
  } satisfies Record<NonNullable<Order['action']>['kind'], string>,
  by: (what: string, time: string) => `${what} by ${time}`,
  left: (left: string) => `(${left} left)`,
  open: 'Open order',
  heldAccount:
    'You can’t buy, sell, redeem or pay out right now, and open orders are paused. Your money is safe.',
} as const
