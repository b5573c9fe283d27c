import type { Claims } from '@/api/types.gen'

/** The landing page below its first view. */
export const landingMore = {
  sample: {
    title: 'Follow your order, step by step',
    text: 'Every order has a page of its own. It shows where your money is and what happens next.',
    picture: 'The page of an order that was sent: amount, total, and each step with its time.',
    steps: [
      { title: 'You lock the price', text: 'Base price, payment fee and total are fixed while you pay.' },
      { title: 'Your card is authorised', text: 'On Stripe’s page. We charge it when we accept the order.' },
      { title: 'We buy on the exchange', text: 'You see each step as it happens.' },
      { title: 'Sent to your wallet', text: 'With the transaction ID, so you can check it on the network.' },
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
      a: `Yes. We add $${signupBonusUsd} to your account balance once your identity is verified and your first order is sent. You can spend it on any coin.`,
      claim: signupBonusUsd,
    },
  ],
  newsletterText: 'What is new, in one short e-mail. Unsubscribe at any time.',
  newsletterTitle: 'News, at most once a month',
  newsletterLabel: 'E-mail address',
  newsletterButton: 'Subscribe',
  newsletterThanks: 'Thank you!',
  newsletterAdded: "You've been added to our newsletter.",
  finalTitle: (amount: string) => `Get a $${amount} bonus on your first order`,
  finalText: 'We add it to your account balance once you are verified and the order is sent.',
  finalPlain: 'Buy your first crypto today',
} as const
