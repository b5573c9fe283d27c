import type { Order } from '@/api/types.gen'

/** What an order waits for its customer to do. */
export const actionTexts = {
  mark: 'Action needed',
  kinds: {
    pay: 'Pay for this order',
    choose: 'Choose how this order continues',
    address: 'Enter another address',
    identity: 'Verify your identity again',
  } satisfies Record<NonNullable<Order['action']>['kind'], string>,
  by: (what: string, time: string, left: string) => `${what} by ${time} (${left} left)`,
  one: 'An order needs you',
  many: (count: string) => `${count} orders need you`,
  open: 'Open order',
  all: 'See all orders',
} as const
