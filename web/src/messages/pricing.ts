export const pricing = {
  title: 'Pricing & Rates',
  lead: 'Live prices and what each payment method costs. Every order shows its exact price, line by line, before you confirm.',
  prices: 'Live prices',
  unavailable: 'N/A',
  methods: 'Payment methods',
  active: 'Active',
  disabled: 'Disabled',
  /** Staff write in English what a method is. What each begins with is known here; their own words stay as they are. */
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
      text: 'The price of the coin and the fee of your payment method, line by line, held while you decide. The network fee is included.',
    },
    {
      title: 'When it arrives',
      text: 'Most orders are sent within minutes of being accepted. A bank transfer has to reach us first.',
    },
    {
      title: 'What if it fails',
      text: 'A card that we do not charge is released. What you paid and we cannot deliver is your choice: we go on trying, or you have your money back.',
    },
  ],
  buy: 'Buy Crypto',
  fetchFailed: 'Failed to fetch prices',
  lastUpdated: (time: string) => `Last updated ${time}`,
} as const
