/** The menu of a signed-in person. */
export const account = {
  menu: 'Account menu',
  yours: 'Your account',
  balance: 'Account balance',
  giftCards: 'My Gift Cards',
  settings: 'Settings',
  profile: 'Profile',
  security: 'Security',
  privacy: 'Your data',
  help: 'Help',
  getHelp: (reference: string) => `Get help with ${reference}`,
  support: 'Support',
  office: 'Back office',
  queues: {
    payments: 'Pending Payments',
    orders: 'Direct Orders',
    giftCards: 'Gift Cards',
    kyc: 'KYC',
    tickets: 'Support inbox',
    factors: 'Lost factors',
  },
} as const
