export const pricing = {
  title: 'Pricing & Rates',
  lead: 'Live prices and the fees of each payment method. You see the exact price of an order before you confirm it.',
  prices: 'Live prices',
  unavailable: 'N/A',
  methods: 'Payment methods',
  active: 'Active',
  disabled: 'Disabled',
  /**
   * Staff describe a method in English. The known beginnings are translated; their own text stays as it is.
   */
  description: (written: string) => written,
  platformFee: 'Platform fee',
  processingFee: 'Processing fee',
  min: 'Minimum',
  max: 'Maximum',
  noLimit: 'No limit',
  note: 'Prices update every 30 seconds. Volume discounts and KYC level benefits apply to your account when you are signed in.',
  promisesTitle: 'Before you buy',
  promises: [
    {
      title: 'What it costs',
      text: 'You see the crypto price and the payment fee line by line. We hold the price while you decide. The network fee is included.',
    },
    {
      title: 'When it arrives',
      text: 'We send most orders within minutes of accepting them. A bank transfer has to arrive first.',
    },
    {
      title: 'What if it fails',
      text: 'If we don’t charge your card, we release the hold. If you’ve paid and we can’t deliver, you choose: we keep trying or refund you.',
    },
  ],
  buy: 'Buy Crypto',
  fetchFailed: 'Failed to fetch prices',
  lastUpdated: (time: string) => `Last updated ${time}`,
} as const
