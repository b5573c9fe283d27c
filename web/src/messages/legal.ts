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
} as const
