export const legal = {
  onThisPage: 'On this page',
  aboutTitle: (brand: string) => `About ${brand}`,
  aboutLead: 'An exchange where every promise to a customer is kept by a system that does not forget.',
  about: (brand: string) => [
    {
      heading: 'What we do',
      body: [
        `${brand} sells Bitcoin, Ethereum, USDT and USDC for US dollars and sends them to a wallet that only you control.`,
        'Before you confirm, you see the whole price, line by line, and the full address it goes to. Afterwards you see every step until the coin has arrived.',
      ],
    },
    {
      heading: 'How we keep orders safe',
      body: [
        'Every order is a durable process: if a server stops in the middle, it goes on where it was, and nothing is paid or sent twice.',
        'Card details are entered on Stripe’s page. Identity documents go to our verification partner. Coins leave only after the payment is certain.',
      ],
    },
  ],
  contactTitle: 'Contact Us',
  contactText: 'Questions about an order, your account or these pages: write to us.',
  termsTitle: 'Terms of Service',
  termsLead: 'What you and we agree to when you use this site.',
  terms: (brand: string) => [
    {
      heading: 'Who may use the service',
      body: [
        'You must be 18+ (at least 18 years old) and act for yourself. One person has one account.',
        'Every purchase needs a verified identity (KYC). We may ask again when the law or a risk review requires it, and we may withdraw an approval.',
      ],
    },
    {
      heading: 'Orders and prices',
      body: [
        'A price is held for the time shown next to it. Once you confirm, it is locked for the payment window of the method you chose. Money that arrives later, or in another amount, is re-quoted or returned, as you choose.',
        'Your card is authorised when you pay and charged when we accept the order. We may decline an order; then nothing is charged and an authorised amount is released.',
        'The network fee is included in the price.',
      ],
    },
    {
      heading: 'Delivery',
      body: [
        'Coins are sent to the address you gave, on the network shown beside it. A transfer on a blockchain cannot be taken back: check the address before you confirm.',
        'If we cannot deliver after taking your money, you may choose to wait or to be refunded.',
      ],
    },
    {
      heading: 'Risk',
      body: [
        'Crypto assets are volatile and can lose all their value. They are not deposits and are not insured by any government scheme. Nothing on this site is investment advice.',
      ],
    },
    {
      heading: 'What is not allowed',
      body: [
        'Using someone else’s identity, card or account; buying for a person whose identity is hidden; proceeds of crime; addresses under sanctions.',
      ],
    },
    {
      heading: 'Records',
      body: [
        `${brand} keeps records of orders and identity checks for up to 7 years for compliance, as the Privacy Policy explains.`,
      ],
    },
  ],
  privacyLink: 'Your data and your rights (sign-in needed)',
  privacyTitle: 'Privacy Policy',
  privacyLead: 'What we store about you, why, for how long, and what you can demand.',
  privacy: (brand: string) => [
    {
      heading: 'What we store',
      body: [
        'Your name, e-mail address and country; that you are 18+ and accepted the terms, with their version; the result of your identity verification (KYC); your orders, payments, wallet addresses and messages to us.',
        'We do not store card numbers, and we do not keep the pictures of your documents: those stay with our verification partner.',
      ],
    },
    {
      heading: 'Why',
      body: [
        'To carry out your orders, to prevent fraud and money laundering, to answer you, and because the law demands it.',
      ],
    },
    {
      heading: 'Who else sees it',
      body: [
        'Stripe (payments), Sumsub (identity verification), Kraken and BitGo (they see amounts and addresses, not your name), and authorities where the law obliges us.',
        `${brand} does not sell personal data.`,
      ],
    },
    {
      heading: 'How long',
      body: [
        'Data needed for compliance are kept for up to 7 years after your last order. The rest is erased when it is no longer needed.',
      ],
    },
    {
      heading: 'Your rights',
      body: [
        'Access: a copy of what we store about you. Correction: of what is wrong. Deletion: of what we need not keep. Portability: your data in a common format. Opt-out: of marketing at any time. Restriction: of processing while a question is open.',
        'Signed in, you do all of this yourself under “Your data”: download a copy, put your name right, choose which mails you get, restrict your account or delete it. For anything else open a ticket; we answer within 30 days.',
      ],
    },
    {
      heading: 'Cookies',
      body: [
        'One cookie keeps you signed in, and one remembers your language. Your choice of light or dark colours stays in your browser. There are no advertising cookies.',
        'Where live chat is offered, its provider (Tidio) sets its own cookies once you have agreed to start it, not before. One more cookie of ours then remembers, until you close the browser, that you did.',
      ],
    },
  ],
} as const
