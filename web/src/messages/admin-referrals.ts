import type { AdminReward } from '@/api/types.gen'

/** What staff read about rewards. */
export const adminReferrals = {
  title: 'Referrals',
  fetchFailed: 'Failed to fetch rewards',
  empty: 'No rewards',
  emptyFiltered: 'No rewards with this status.',
  emptyHint: 'Rewards appear here after the first order that earns one.',
  statusFilter: 'Status',
  all: 'All',
  stats: {
    total: 'Earned',
    held: 'Needs action',
    rewarded: 'Paid',
    paid: 'Paid and kept',
    clawedBack: 'Deducted',
  },
  kinds: { referral: 'Referral reward', signup_bonus: 'Sign-up bonus' } satisfies Record<
    AdminReward['kind'],
    string
  >,
  kind: 'For',
  payee: 'Paid to',
  friend: 'Friend',
  order: 'Earned by order',
  promised: 'Promised',
  paidAt: 'Paid',
  why: 'Risk signals',
  decision: 'Decision',
  reasonGiven: 'Reason',
  underWay: 'Decision in progress',
  actions: { approve: 'Approve', refuse: 'Reject' },
  dialogs: {
    approve: { title: 'Approve this reward?', text: 'It is credited to their balance at once.' },
    refuse: { title: 'Reject this reward?', text: 'It will not be paid. This cannot be undone.' },
  },
  reason: 'Reason',
  reasonPlaceholder: 'Saved in the audit log',
  done: { approve: 'Reward approved', refuse: 'Reward rejected' },
  decisionFailed: 'Action failed',
  decisionFailedText: 'Please try again.',
} as const

export const rewardStatus: Record<AdminReward['status'], string> = {
  held: 'Held',
  active: 'Being paid',
  rewarded: 'Rewarded',
  refused: 'Rejected',
  clawed_back: 'Deducted',
}

/** Why a reward is held, by the server's codes. */
export const rewardSignals: Record<AdminReward['signals'][number], string> = {
  same_browser: 'Signed up in the payee’s browser',
  same_network: 'Signed up from a network the payee used recently',
  same_wallet: 'Same wallet as the payee or another friend',
  same_card: 'Same card brand and last four digits as the payee',
  account_restricted: 'The payee’s account is closed or frozen',
}
