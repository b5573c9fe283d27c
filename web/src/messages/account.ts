/** The menu of a signed-in person. */
export const account = {
  otherPerson: 'You signed in to another account',
  otherPersonText: 'You used another tab of this browser. We’re taking you to that account…',
  confirmAddress: 'Confirm your e-mail address',
  confirmAddressText: (email: string) =>
    `We sent a link to ${email}. Open it before you verify your identity, buy, sell gift cards or redeem vouchers.`,
  addressConfirmed: 'I’ve confirmed it',
  sendAgain: 'Send the link again',
  menu: 'Account menu',
  yours: 'Your account',
  balance: 'Account balance',
  giftCards: 'My Gift Cards',
  vouchers: 'My Vouchers',
  settings: 'Settings',
  settingsAndHelp: 'Settings and help',
  /** The reference follows. */
  getHelp: 'Get help with',
  support: 'Support',
  office: 'Back office',
  queues: {
    payments: 'Pending Payments',
    orders: 'Direct Orders',
    payouts: 'Payouts',
    giftCards: 'Gift cards',
    vouchers: 'Vouchers',
    kyc: 'KYC',
    rewards: 'Held rewards',
    tickets: 'Support inbox',
    factors: '2FA resets',
  },
} as const
