/** The menu of a signed-in person. */
export const account = {
  otherPerson: 'Another account is signed in',
  otherPersonText: 'It was signed in in another tab of this browser. We take you to it…',
  confirmAddress: 'Confirm your e-mail address',
  confirmAddressText: (email: string) =>
    `We sent a link to ${email}. Until you have followed it, you cannot verify your identity, buy, sell gift cards or redeem vouchers.`,
  addressConfirmed: 'I have confirmed it',
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
    giftCards: 'Gift Cards',
    vouchers: 'Vouchers',
    kyc: 'KYC',
    rewards: 'Held rewards',
    tickets: 'Support inbox',
    factors: 'Lost factors',
  },
} as const
