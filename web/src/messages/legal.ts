export const legal = {
  onThisPage: 'On this page',
  aboutTitle: (brand: string) => `About ${brand}`,
  aboutLead: 'We sell crypto for US dollars and send it to your own wallet.',
  coins: 'Bitcoin, Ethereum, USDT and USDC',
  about: (brand: string, coins: string) => [
    {
      heading: 'What we do',
      body: [
        `${brand} sells ${coins} for US dollars and sends it to a wallet that only you control.`,
        'Before you confirm, you see the full price and the destination address. After that, you can follow each step until your crypto is sent.',
      ],
    },
    {
      heading: 'How we keep orders safe',
      body: [
        'If one of our servers stops, your order continues where it left off. We never charge or send twice.',
        'Card details are entered on Stripe’s page. Our verification partner handles identity documents. We send crypto only after your payment is confirmed.',
      ],
    },
  ],
  contactTitle: 'Contact Us',
  contactText: 'Contact support with questions about an order, your account or this site.',
  termsTitle: 'Terms of Service',
  termsLead: 'The agreement between you and us when you use this site.',
  terms: (brand: string) => [
    {
      heading: 'Who may use the service',
      body: [
        'You must be 18+ (at least 18 years old) and act for yourself. You may have one account.',
        'Every purchase needs a verified identity (KYC). We may ask again when the law or a risk review requires it, and we may withdraw an approval.',
      ],
    },
    {
      heading: 'Orders and prices',
      body: [
        'We hold a price for the time shown next to it. Once you confirm, we lock it for the payment window of your payment method. If your payment arrives late or in a different amount, you choose a new price or a refund.',
        'We authorise your card when you pay and charge it when we accept the order. If we decline the order, we don’t charge your card and we release the hold.',
        'The network fee is included in the price.',
      ],
    },
    {
      heading: 'Delivery',
      body: [
        'We send crypto to the address you enter, on the network shown next to it. Nobody can reverse a blockchain transfer, so check the address before you confirm.',
        'If we can’t deliver after you’ve paid, you can choose to wait or get a refund.',
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
        'You may not use someone else’s identity, card or account, buy for a person whose identity is hidden, use the proceeds of crime, or send to a sanctioned address.',
      ],
    },
    {
      heading: 'Records',
      body: [
        `${brand} keeps records of orders and identity checks for up to 7 years for compliance, as the Privacy Policy explains. It also explains your rights of access, correction, deletion, portability, opt-out and restriction.`,
      ],
    },
  ],
  privacyLink: 'Your data and your rights (sign in first)',
  privacyTitle: 'Privacy Policy',
  privacyLead: 'What we store about you, why, for how long, and your rights.',
  privacy: (brand: string) => [
    {
      heading: 'What we store',
      body: [
        'We store your name, e-mail address and country; your confirmation that you are 18+; the version of the terms you accepted; the result of your identity verification (KYC); and your orders, payments, wallet addresses and messages to us.',
        'We don’t store card numbers or pictures of your documents. Our verification partner keeps those pictures.',
      ],
    },
    {
      heading: 'Why',
      body: [
        'We use it to complete your orders, prevent fraud and money laundering, answer you, and meet our legal obligations.',
      ],
    },
    {
      heading: 'Who else sees it',
      body: [
        'Stripe (payments), Sumsub (identity verification), Kraken and BitGo (they see amounts and addresses, not your name), and authorities where the law requires it.',
        `${brand} does not sell personal data.`,
      ],
    },
    {
      heading: 'How long',
      body: [
        'We keep data needed for compliance for up to 7 years after your last order. We delete the rest when we no longer need it.',
      ],
    },
    {
      heading: 'Your rights',
      body: [
        'Access: get a copy of your data. Correction: fix what is wrong. Deletion: delete what we don’t have to keep. Portability: get your data in a common format. Opt-out: stop marketing at any time. Restriction: limit how we use your data while a question is open.',
        'Sign in and go to “Your data” to download a copy, correct your name, choose which e-mails you get, restrict your account or delete it. For anything else, open a ticket. We answer within 30 days.',
      ],
    },
    {
      heading: 'Cookies',
      body: [
        'One cookie keeps you signed in, and one remembers your language. Your choice of light or dark colours stays in your browser. We don’t use advertising cookies.',
        'If you agree to start live chat, its provider (Tidio) sets its own cookies. We also set a cookie that remembers your agreement until you close the browser.',
      ],
    },
  ],
} as const
