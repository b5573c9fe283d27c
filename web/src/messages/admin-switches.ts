import type { KillSwitch } from '@/api/types.gen'

/** What staff read about kill switches. */
export const adminSwitches = {
  title: 'Kill Switches',
  lead: 'Pause something at once, everywhere. Nothing new begins; what was begun at a provider is finished and recorded. What waits goes on by itself when you resume.',
  fetchFailed: 'Failed to fetch switches',
  readOnly: 'You can look at switches. Admins turn them.',
  groups: {
    fulfilment: 'Deliveries',
    signups: 'Sign-ups',
    asset: 'Assets',
    rail: 'Payment methods',
  } satisfies Record<KillSwitch['kind'], string>,
  names: { fulfilment: 'All deliveries', signups: 'All sign-ups' } as Record<string, string>,
  effects: {
    fulfilment:
      'No order or redemption is taken. Paid orders and redeemed vouchers wait before coin is reserved, bought or sent. Gift cards and payouts go on.',
    signups: 'Nobody new gets an account. Whoever has one signs in as always.',
    asset: 'The asset is not sold. Paid orders and redeemed vouchers in it wait.',
    rail: 'The method takes no orders. Payments for orders made before are taken; their delivery waits.',
  } satisfies Record<KillSwitch['kind'], string>,
  running: 'Running',
  paused: 'Paused',
  pause: 'Pause',
  resume: 'Resume',
  reason: 'Reason',
  reasonPlaceholder: 'Kept in the audit log',
  pauseTitle: (what: string) => `Pause ${what}?`,
  resumeTitle: (what: string) => `Resume ${what}?`,
  resumeText: 'What waits goes on by itself, unless another switch still stops it.',
  pausedDone: (what: string) => `${what}: paused`,
  resumedDone: (what: string) => `${what}: resumed`,
  failed: 'That did not work',
  failedText: 'Please try again.',
  turnedBy: (who: string) => `by ${who}`,
  parkedOrders: 'Orders that wait',
  parkedRedemptions: 'Redemptions that wait',
} as const
