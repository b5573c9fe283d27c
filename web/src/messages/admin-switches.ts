import type { KillSwitch } from '@/api/types.gen'

/** What staff read about kill switches. */
export const adminSwitches = {
  title: 'Kill switches',
  lead: 'Pause something everywhere, at once. Nothing new starts; work already started at a provider is finished and recorded. Paused work continues when you resume.',
  fetchFailed: 'Failed to fetch switches',
  readOnly: 'You can view switches. Only admins can change them.',
  groups: {
    fulfilment: 'Deliveries',
    signups: 'Sign-ups',
    asset: 'Assets',
    rail: 'Payment methods',
  } satisfies Record<KillSwitch['kind'], string>,
  names: { fulfilment: 'All deliveries', signups: 'All sign-ups' } as Record<string, string>,
  effects: {
    fulfilment:
      'No new orders or redemptions. Paid orders and redeemed vouchers wait before crypto is reserved, bought or sent. Gift cards and payouts continue.',
    signups: 'No new accounts. Existing customers can still sign in.',
    asset: 'The asset cannot be bought. Paid orders and redeemed vouchers in it wait.',
    rail: 'No new orders with this method. Payments for existing orders are accepted, but delivery waits.',
  } satisfies Record<KillSwitch['kind'], string>,
  running: 'Running',
  off: 'Off in Pricing',
  paused: 'Paused',
  pause: 'Pause',
  resume: 'Resume',
  reason: 'Reason',
  reasonPlaceholder: 'Saved in the audit log',
  pauseTitle: (what: string) => `Pause ${what}?`,
  resumeTitle: (what: string) => `Resume ${what}?`,
  resumeText: 'Paused work continues automatically, unless another switch still stops it.',
  pausedDone: (what: string) => `${what}: paused`,
  resumedDone: (what: string) => `${what}: resumed`,
  failed: 'Action failed',
  failedText: 'Please try again.',
  turnedBy: (who: string) => `by ${who}`,
  parkedOrders: 'Orders waiting',
  parkedRedemptions: 'Redemptions waiting',
} as const
