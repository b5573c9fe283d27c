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
  fetchFailed: 'Failed to fetch prices',
  lastUpdated: (time: string) => `Last updated ${time}`,
} as const
