/** Below every page. */
export const footer = {
  footerNavigation: 'Footer',
  quickLinks: 'Quick Links',
  pricing: 'Pricing & Rates',
  about: 'About Us',
  contact: 'Contact Us',
  privacy: 'Privacy Policy',
  terms: 'Terms of Service',
  supportLinks: 'Support',
  helpCenter: 'Frequently asked questions',
  emailSupport: 'E-mail support',
  acceptedMethods: 'Accepted payment methods',
  methods: ['Visa', 'Mastercard', 'Bank Transfer', 'Cash', 'Wire Transfer'],
  blurb: (brand: string) =>
    `${brand} lets you buy Bitcoin, Ethereum and stablecoins and have them sent to a wallet that only you control.`,
  risk: 'Crypto assets are volatile and can lose their value. You can’t undo a transfer. Buy only what you can afford to lose. Nothing on this site is investment advice.',
  rights: (brand: string, year: number) => `© ${year} ${brand}`,
} as const
