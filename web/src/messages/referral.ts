export const referral = {
  title: 'Referral Program',
  signInRequired: 'Sign In Required',
  signInHint: 'Sign in to see your own link, who came by it, and what you have earned.',
  lead: (reward: string | undefined) =>
    reward
      ? `Bring friends and get ${reward} on your balance for each who completes a first order.`
      : 'Bring friends. No reward is paid at the moment.',
  visitor:
    'Bring friends, and earn with each who completes a first order. What is paid at the moment stands beside your link.',
  visitorHow: 'When they complete their first transaction, the reward in force is credited to your balance.',
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
    { title: 'Share your link', text: 'Send it to friends who are not here yet.' },
    {
      title: 'They sign up and complete KYC',
      text: 'They follow your link, sign up and verify their identity.',
    },
    {
      title: 'You earn',
      text: reward
        ? `When they complete their first transaction, ${reward} is credited to your balance. It is taken back if that order is refunded.`
        : 'When they complete their first transaction. No reward is paid at the moment.',
    },
  ],
  listTitle: 'Your referrals',
  empty: 'No referrals yet',
  emptyHint: 'Friends who sign up by your link are listed here.',
  failed: 'Failed to fetch your referrals',
  columns: { name: 'Friend', since: 'Joined', status: 'Status', reward: 'Reward' },
  status: {
    registered: 'Signed up',
    active: 'Active',
    held: 'In review',
    rewarded: 'Rewarded',
    refused: 'Not eligible',
    clawed_back: 'Taken back',
  },
} as const

export const testPage = {
  title: 'Page navigation test',
  lead: 'Which session this browser has, and a link to every page.',
  signedIn: 'Signed in',
  isAdmin: 'Admin',
  user: 'User',
  yes: 'yes',
  no: 'no',
  pages: 'Pages',
} as const
