export const dashboard = {
  title: 'Dashboard',
  welcome: (name: string) => `Welcome, ${name}`,
  balance: 'Account Balance',
  balanceHistory: 'See its history',
  activeTrades: 'Active Trades',
  kycStatus: 'KYC Status',
  kyc: { verified: 'Verified', rejected: 'Rejected', other: 'Pending' },
  holds: {
    restricted: {
      title: 'You have restricted your account',
      text: 'Nothing new can be bought, sold or redeemed until you lift that. What is under way goes on.',
      link: 'Lift it in your settings',
    },
    frozen: {
      title: 'Your account is on hold',
      text: 'Nothing can be bought, sold, redeemed or paid out at the moment, and what is under way waits. Your money stays yours.',
      link: 'Contact support',
    },
  },
  quickActions: 'Quick Actions',
  actions: { swap: 'Crypto Swap', giftCards: 'Gift Cards', voucher: 'Redeem Voucher', send: 'Send Money' },
  purchaseTitle: 'Buy crypto',
  purchaseLead: 'An estimate. The exact price is fixed on the next page.',
  asset: 'Asset',
  amountFiat: 'Amount in USD',
  method: 'Payment method',
  address: 'Wallet address',
  addressHint: 'Where the crypto is sent.',
  fee: 'Fee (2.5%)',
  total: 'Total',
  received: 'Crypto received',
  rateMissing: 'No current price',
  submit: 'Buy Crypto',
  continueToBuy: 'Continue to the purchase page',
  amountInvalid: 'Please enter a valid amount',
  addressMissing: 'Please enter your wallet address',
  integrationTitle: 'Payment Integration Required',
  integrationText: 'Continue on the purchase page: your entries are filled in.',
  sendTitle: 'Send Money',
  sendText:
    'Global money transfers are planned: paying out to a bank account abroad from your balance. They are not open yet, and nothing is charged or reserved for them.',
  recentTitle: 'Recent Transactions',
  recentEmpty: 'No transactions yet',
  recentEmptyHint: 'What you buy, sell and redeem will be listed here.',
  recentFailed: 'Failed to fetch transactions',
  viewAll: 'View All',
  columns: { type: 'Type', from: 'From', to: 'To', amount: 'Amount', status: 'Status', date: 'Date' },
  types: { crypto_swap: 'Crypto purchase', gift_card: 'Gift card', voucher: 'Voucher' } as Record<
    string,
    string
  >,
  faq: (kycOver: string | null) => [
    {
      q: 'Do I need to verify my identity?',
      a: kycOver
        ? `KYC is required for transactions over $${kycOver}.`
        : 'Yes: every purchase needs a verified identity.',
    },
    {
      q: 'When is my card charged?',
      a: 'It is authorised when you pay and charged when we accept the order. A declined order is never charged.',
    },
    {
      q: 'How long does delivery take?',
      a: 'Most orders are sent within minutes of being accepted. The order page shows each step as it happens.',
    },
    { q: 'Can a transfer be reversed?', a: 'No. Check the address and its network before you confirm.' },
  ],
  chatLabel: 'Live chat',
  chatTitle: 'Live chat',
  chatText: 'Live chat is not connected on this page. Please write to support.',
} as const
