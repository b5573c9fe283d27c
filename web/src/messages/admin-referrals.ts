import type { AdminReward } from '@/api/types.gen'

/** What staff read about rewards. */
export const adminReferrals = {
  title: 'Referrals',
  fetchFailed: 'Failed to fetch rewards',
  empty: 'No rewards',
  emptyFiltered: 'No reward is in this state. Choose another one.',
  emptyHint: 'A reward stands here from the first order that earns it.',
  statusFilter: 'State',
  all: 'All',
  stats: {
    total: 'Earned',
    held: 'Wait for a person',
    rewarded: 'Paid',
    paid: 'Paid and kept',
    clawedBack: 'Taken back',
  },
  kinds: { referral: 'Referral reward', signup_bonus: 'Sign-up bonus' } satisfies Record<
    AdminReward['kind'],
    string
  >,
  payee: 'Paid to',
  friend: 'Friend',
  order: 'Earned by order',
  promised: 'Promised',
  paidAt: 'Paid',
  why: 'Why a person looks at it',
  decision: 'Decision',
  reasonGiven: 'Reason',
  underWay: 'A decision is being carried out',
  actions: { approve: 'Approve', refuse: 'Refuse' },
  dialogs: {
    approve: { title: 'Approve this reward', text: 'It is credited to their balance at once.' },
    refuse: { title: 'Refuse this reward', text: 'It is never paid. This cannot be taken back.' },
  },
  reason: 'Reason',
  reasonPlaceholder: 'Kept in the audit log',
  done: { approve: 'Reward approved', refuse: 'Reward refused' },
  decisionFailed: 'That did not work',
  decisionFailedText: 'Please try again.',
} as const

export const rewardStatus: Record<AdminReward['status'], string> = {
  held: 'Held',
  active: 'Being paid',
  rewarded: 'Rewarded',
  refused: 'Refused',
  clawed_back: 'Taken back',
}

/** Why a reward is held, by the server's words. */
export const rewardSignals: Record<AdminReward['signals'][number], string> = {
  same_browser: 'They signed up in the payee’s browser',
  same_network: 'They signed up from an address the payee used lately',
  same_wallet: 'Their coin went to a wallet that the payee, or another friend, uses',
  same_card: 'They paid with a card like the payee’s: brand and last four digits',
  account_restricted: 'The payee’s account is closed or frozen',
}
