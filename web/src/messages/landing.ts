import type { Claims } from '@/api/types.gen'

export const landing = {
  bonusBadge: (amount: string) => `$${amount} free Bitcoin for new customers`,
  title: 'Buy crypto. Keep it in your own wallet.',
  lead: 'Bitcoin, Ethereum, USDT and USDC by card, ACH, wire or cash. The price is fixed before you pay, and every step is shown until the coin has arrived.',
  getStarted: 'Get Started',
  learnMore: 'Learn More',
  bonusTerms: 'The bonus is credited when you are verified and your first order has been sent.',
  sample: {
    caption: 'What an order looks like (an example)',
    steps: [
      { title: 'You fix the price', text: 'Base price, payment fee and total, held while you pay.' },
      { title: 'Your card is authorised', text: 'On Stripe’s page. It is charged when we accept the order.' },
      { title: 'We buy on the exchange', text: 'You see each step as it happens.' },
      { title: 'Sent to your wallet', text: 'With the transaction id, to check on the network.' },
    ],
  },
  howTitle: 'How it works',
  how: [
    {
      title: 'Create a free account',
      text: 'An e-mail address and a password. Verify your identity once.',
    },
    {
      title: 'Choose a payment method',
      text: 'Card, ACH, wire or cash. Fees are listed line by line before you confirm.',
    },
    {
      title: 'Get crypto in your wallet',
      text: 'We send it to the address you give, and show you the transaction on the network.',
    },
  ],
  figuresTitle: 'In figures',
  figures: {
    countries: 'countries',
    tokens: 'tokens',
    processedUsd: 'USD processed',
    users: 'users',
  },
  methodsTitle: 'Pay the way you already do',
  methods: (card: string, ach: string) => [
    { title: 'Card', text: `${card}% fee. Authorised at once; charged when we accept the order.` },
    { title: 'ACH', text: `${ach}% fee. Straight from your bank account.` },
    { title: 'Wire', text: 'For larger amounts, with a reference we match to your order.' },
    { title: 'Cash', text: 'See Pricing & Rates for whether it is open now.' },
  ],
  pillarsTitle: 'Built to be trusted with money',
  pillars: [
    {
      title: 'Simplicity',
      text: 'One form, one price, one confirmation. No hidden spread appears after you pay.',
    },
    {
      title: 'Security',
      text: 'Card details never touch our servers. Addresses are checked before a coin moves.',
    },
    { title: 'Support', text: 'Every order has a live timeline in plain words, and a person behind it.' },
  ],
  more: 'With the same account you sell gift cards for a payout and redeem crypto vouchers. Global money transfers are planned.',
  faqTitle: 'Questions people ask first',
  faqMore: 'Is yours not among them?',
  faqContact: 'Contact Us',
  faq: ({ kycFreeUnderUsd, kycReviewMinutes, cardFeePercent, achFeePercent, signupBonusUsd }: Claims) => [
    { q: 'Which coins can I buy?', a: 'Bitcoin (BTC), Ethereum (ETH), Tether (USDT) and USD Coin (USDC).' },
    {
      q: 'Do I need to verify my identity?',
      a: kycFreeUnderUsd
        ? `Purchases under $${kycFreeUnderUsd} need no identity verification; larger ones do.`
        : 'Yes. Every purchase needs a verified identity.',
    },
    { q: 'How long does verification take?', a: `The review usually takes ${kycReviewMinutes} minutes.` },
    {
      q: 'What does it cost?',
      a: `The card fee is ${cardFeePercent}% and the ACH fee is ${achFeePercent}%. You see the whole price, line by line, before you confirm.`,
    },
    { q: 'Where does my crypto go?', a: 'To the wallet address you give us. We do not hold it for you.' },
    {
      q: `Is the $${signupBonusUsd} bonus real?`,
      a: 'Yes. It is credited once your identity is verified and your first order has been sent.',
    },
  ],
  pricesTitle: 'Live prices',
  pricesMore: 'All prices and fees',
  newsletterText: 'What is new, in one short letter. Leave it whenever you like.',
  newsletterTitle: 'News, at most once a month',
  newsletterLabel: 'E-mail address',
  newsletterButton: 'Subscribe',
  newsletterThanks: 'Thank you!',
  newsletterAdded: "You've been added to our newsletter.",
  finalTitle: (amount: string) => `Start with $${amount} in Bitcoin`,
  finalText: 'Credited when you are verified and your first order has been sent.',
} as const
