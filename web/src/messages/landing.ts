/** The first view of the landing page. */
export const landing = {
  bonusBadge: (amount: string) => `$${amount} free Bitcoin for new customers`,
  title: 'Buy crypto. Keep it in your own wallet.',
  lead: 'Bitcoin, Ethereum, USDT and USDC by card, ACH, wire or cash. You see the exact price before you pay and every step until your crypto arrives.',
  leadPlain: 'You see the exact price before you pay and every step until your crypto arrives.',
  getStarted: 'Get Started',
  learnMore: 'Learn More',
  bonusTerms: (amount: string) =>
    `The bonus is $${amount} of account balance to spend on any cryptocurrency. You get it once you’re verified and your first order is sent.`,
  pricesTitle: 'Live prices',
  pricesMore: 'All prices and fees',
} as const
