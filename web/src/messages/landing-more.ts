import type { Claims } from '@/api/types.gen'

/** The landing page below its first view. */
export const landingMore = {
  sample: {
    title: 'Follow your order, step by step',
    text: 'Each order page shows where your money is and what happens next.',
    picture: 'The page of an order that was sent: its amount, the transaction, and each step with its time.',
    steps: [
      { title: 'You lock the price', text: 'Base price, payment fee and total are fixed while you pay.' },
      { title: 'Your card is authorized', text: 'On Stripe’s page. We charge it when we accept the order.' },
      { title: 'We buy on the exchange', text: 'You see each step as it happens.' },
      { title: 'Sent to your wallet', text: 'You get the transaction ID to check it on the network.' },
    ],
  },
  feesListed: 'Fees are listed line by line before you confirm.',
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
      text: 'We send it to your wallet address and show you the transaction on the network.',
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
    { title: 'Card', text: `${card}% fee. We charge your card when we accept the order.` },
    { title: 'ACH', text: `${ach}% fee. Straight from your bank account.` },
    { title: 'Wire', text: 'For larger amounts, with a reference we match to your order.' },
    { title: 'Cash', text: 'See Pricing & Rates to check if it’s available.' },
  ],
  pillarsTitle: 'What you can expect',
  pillars: [
    {
      title: 'Simplicity',
      text: 'One form, one price, one confirmation. No hidden fees after you pay.',
    },
    {
      title: 'Security',
      text: 'Card details never reach our servers. We check every address before we send.',
    },
    {
      title: 'Support',
      text: 'You see the progress of every order live. If you need help, contact support.',
    },
  ],
  more: 'With the same account, you can sell gift cards for a payout and redeem crypto vouchers. Global money transfers are planned.',
  faqTitle: 'Frequently asked questions',
  faqMore: 'Have another question?',
  faqContact: 'Contact Us',
  faq: ({ kycFreeUnderUsd, kycReviewMinutes, cardFeePercent, achFeePercent, signupBonusUsd }: Claims) => [
    {
      q: 'Which cryptocurrencies can I buy?',
      a: 'Bitcoin (BTC), Ethereum (ETH), Tether (USDT) and USD Coin (USDC).',
    },
    {
      q: 'Do I need to verify my identity?',
      a: kycFreeUnderUsd
        ? `Purchases under $${kycFreeUnderUsd} need no identity verification. Larger ones do.`
        : 'Yes. Every purchase needs a verified identity.',
    },
    {
      q: 'How long does verification take?',
      a: `The review usually takes ${kycReviewMinutes} minutes.`,
      claim: kycReviewMinutes,
    },
    {
      q: 'What does it cost?',
      a: `The card fee is ${cardFeePercent}% and the ACH fee is ${achFeePercent}%. You see the whole price, line by line, before you confirm.`,
    },
    { q: 'Where does my crypto go?', a: 'To the wallet address you enter. We don’t hold it for you.' },
    {
      q: `Is the $${signupBonusUsd} bonus real?`,
      a: `Yes. We add $${signupBonusUsd} to your account balance once your identity is verified and your first order is sent. You can spend it on any cryptocurrency.`,
      claim: signupBonusUsd,
    },
  ],
  newsletterText: 'Our news in one short e-mail. Unsubscribe at any time.',
  newsletterTitle: 'News, at most once a month',
  newsletterLabel: 'E-mail address',
  newsletterButton: 'Subscribe',
  newsletterThanks: 'Thank you!',
  newsletterAdded: "You've been added to our newsletter.",
  finalTitle: (amount: string) => `Get a $${amount} bonus on your first order`,
  finalText: 'We add it to your account balance once you’re verified and we’ve sent the order.',
  finalPlain: 'Buy your first crypto today',
} as const
