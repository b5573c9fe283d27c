/** What a browser's tab and a search engine's list call each page. Staff's pages are called by pages.ts itself. */
export const titles = {
  landing: 'Buy Bitcoin and crypto to your own wallet',
  dashboard: 'Dashboard',
  pricingRates: 'Pricing & Rates',
  aboutUs: 'About Us',
  termsOfService: 'Terms of Service',
  privacyPolicy: 'Privacy Policy',
  legalText: 'Legal information',
  referralProgram: 'Referral Program',
  open: 'Sign in',
  test: 'Test page',
  buyCrypto: 'Buy Crypto',
  myOrders: 'My Orders',
  order: 'Order',
  receipt: 'Receipt',
  wallet: 'Wallet',
  accountBalance: 'Account balance',
  transactions: 'Transactions',
  newPayout: 'Pay out to your bank',
  payout: 'Payout',
  myGiftCards: 'My Gift Cards',
  giftCard: 'Gift card',
  myVouchers: 'My Vouchers',
  voucher: 'Voucher',
  support: 'Support',
  supportTicket: 'Support ticket',
  profile: 'Profile',
  yourData: 'Your data',
  settings: 'Settings',
  notifications: 'Notifications',
  payoutAccounts: 'Payout accounts',
  identityVerification: 'Identity verification',
  twoFactorAuthentication: 'Two-factor authentication',
  security: 'Security',
} as const

/** What search engines and social sites say below the title of a public page, by its address. */
export const descriptions = {
  '/': 'Buy Bitcoin, Ethereum, USDT and USDC by card, ACH, wire or cash. You see the exact price before you pay. We send to your own wallet.',
  '/pricing': 'Live crypto prices and the fees of every payment method.',
  '/about': 'What we do, how we keep orders safe and how to contact us.',
  '/terms': 'The terms under which you buy crypto here.',
  '/privacy': 'What we store about you, why, for how long, and your rights.',
  '/legal/{document}': 'What you should know before you buy crypto here.',
  '/referral': 'Invite your friends and follow your rewards.',
  '/open': 'Sign in to open a page of your account.',
  '/test': 'Which session this browser has.',
} as const

/** The same where not all coins and rails are offered; the server puts in the coins. */
export const narrowed = {
  '/': 'Buy crypto to your own wallet: {assets}. You see the exact price before you pay.',
} as const

export const skipToContent = 'Skip to content'

/** What a page says whose scripts do not run. */
export const noScripts = 'This site needs JavaScript to place and follow orders.'
