export const referral = {
  title: 'Referral Program',
  signInRequired: 'Sign In Required',
  signInHint: 'Sign in to see your link, your referrals and your rewards.',
  lead: (reward: string | undefined) =>
    reward
      ? `Invite friends and get ${reward} in your balance for each friend who completes a first order.`
      : 'Invite friends. We don’t pay a reward right now.',
  visitor:
    'Invite friends and earn for each friend who completes a first order. You see the current reward next to your link.',
  visitorHow: 'When they complete their first transaction, we credit the current reward to your balance.',
  stats: {
    total: 'Total Referrals',
    active: 'Active Referrals',
    pending: 'Pending Rewards',
    earned: 'Total Earned',
  },
  linkTitle: 'Your referral link',
  link: 'Referral link',
  code: 'Your code',
  copyLink: 'Copy link',
  copyCode: 'Copy code',
  twitter: 'Share on Twitter',
  facebook: 'Share on Facebook',
  shareText: (brand: string, bonus: string | undefined) =>
    bonus ? `Join me on ${brand} and get ${bonus} with your first order.` : `Join me on ${brand}.`,
  howTitle: 'How it works',
  how: (reward: string | undefined) => [
    { title: 'Share your link', text: 'Send it to friends who don’t have an account yet.' },
    {
      title: 'They sign up and complete KYC',
      text: 'They open your link, sign up and verify their identity.',
    },
    {
      title: 'You earn',
      text: reward
        ? `When they complete their first transaction, we credit ${reward} to your balance. If that order is refunded, we deduct it.`
        : 'When they complete their first transaction. We don’t pay a reward right now.',
    },
  ],
  listTitle: 'Your referrals',
  empty: 'No referrals yet',
  emptyHint: 'You’ll see friends who sign up with your link here.',
  failed: 'Failed to fetch your referrals',
  columns: { name: 'Friend', since: 'Joined', status: 'Status', reward: 'Reward' },
  status: {
    registered: 'Signed up',
    active: 'Active',
    held: 'Under review',
    rewarded: 'Rewarded',
    refused: 'Not eligible',
    clawed_back: 'Deducted',
  },
} as const

export const testPage = {
  title: 'Page navigation test',
  lead: 'Your session in this browser and a link to every page.',
  signedIn: 'Signed in',
  isAdmin: 'Admin',
  user: 'User',
  yes: 'yes',
  no: 'no',
  pages: 'Pages',
} as const
