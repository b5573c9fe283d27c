/** What a sum buys, on the landing page and the dashboard. */
export const calculator = {
  title: 'What your money buys',
  pay: 'You pay',
  get: 'You get',
  currency: 'USD',
  coin: 'Crypto',
  payWith: 'Pay with',
  fee: (fee: string) => `${fee} fee`,
  note: (fee: string, asset: string, rate: string) =>
    `Includes ${fee} in fees, at ${rate} per ${asset}. The exact price is fixed before you pay.`,
  unreadable: 'Enter an amount in dollars, such as 60.50.',
  loading: 'Loading prices…',
  later: 'Live prices aren’t available right now. You see the exact price before you pay.',
  least: (amount: string) => `The minimum with this method is ${amount} before fees.`,
  most: (amount: string) => `The maximum with this method is ${amount} before fees.`,
  buy: (asset: string) => `Buy ${asset}`,
} as const
