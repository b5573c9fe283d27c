// biome-ignore-all lint/suspicious/noTemplateCurlyInString: titles with parameters, as they stand in the tests
import type { Row } from './spec-table'

/** What one test shows, row by row. */
function shows(
  file: string,
  title: string,
  rows: readonly (readonly [section: Row['section'], says: string])[],
): readonly Row[] {
  return rows.map(([section, says]) => ({ section, says, shownBy: [file, title] }))
}

/** The rows that spec.spec.ts shows, and those that a story shows without being about them. */
export const alsoShown: readonly Row[] = [
  ...shows(
    'e2e/flows/spec.spec.ts',
    'a visitor reads SPEC’s header, footer, landing page, claims and legal texts',
    [
      ['§2', 'header, signed out: Home, Features, How It Works, Support, Sign In, Get Started'],
      ['§2', 'landing: Get Started, three steps, four payment methods, final call to action'],
      ['§2', 'footer: quick links, support, accepted methods, badges, risk disclaimer'],
      ['§2', 'terms and privacy: 18+, KYC, up to 7 years, six rights'],
      ['§9', 'marketing claims: $25, card fee 3.5 %, ACH fee 1.5 %, KYC review 5-15 minutes'],
      ['§9', 'retention up to 7 years, minimum age 18'],
    ],
  ),
  ...shows(
    'e2e/flows/spec.spec.ts',
    'a customer’s screens say what SPEC lists: choices, limits, waits, and nothing yet',
    [
      ['§2', 'header, signed in: its six ways, the first name, Dashboard, Logout'],
      ['§2', 'purchase card: four assets, BTC first, step 0.01, card, ach, wire, cash'],
      ['§2', 'trade card: a catalogue of about 150 brands, five of them prepaid, several images'],
      ['§2', 'identity card: texts and badge under review and not verified; no start while pending'],
      ['§2', 'KYC screen: review in progress when pending'],
      ['§2', 'support card: average response time of 2 minutes'],
      ['§2', "buy: 'Calculating price...', three reassurance notes"],
      ['§2', "my orders: 'New Order', 'Buy Crypto Now'"],
      ['§2', "wallet: its three cards, 'No completed orders yet.' to /buy, View All to /transactions"],
      ['§2', 'transactions: the columns, the crypto filter'],
      ['§2', 'recent transactions: type, from and to asset, amount, status, date'],
      ['§2', 'referral: four stats, three steps'],
      ['§5', 'prepaid: card number 19, expiration 5, security code 4 characters at most'],
      ['§5', '2FA: 6 characters at most'],
      ['§9', 'redemption is quoted at 10-30 minutes'],
      ['§9', '5 recent withdrawals; txid by its first 16 characters'],
    ],
  ),
  ...shows(
    'e2e/flows/spec.spec.ts',
    'the back office says what SPEC lists: its ways, nothing found, what failed, and a lost role',
    [
      [
        '§2',
        "the older panel's 'Access Denied', then / after 1 s (DECISIONS §6: when the role is lost there)",
      ],
      ['§2', 'admin dashboard: its links'],
      ['§2', 'Platform Health: four services; P2P Integration Limited'],
      ['§2', 'Recent Activity: the first 10; a status that is not known as its raw value'],
      ['§2', "customers: columns, 'Anonymous', 'N/A', 'Loading customers...'"],
      ['§2', "payments: 'No pending payments found', Refresh"],
      ['§2', "orders: 'No direct purchase orders yet', 'Not yet', Refresh"],
      ['§8', "'Processing Failed', 'Decline Failed', 'Fulfillment Failed' with their own texts"],
      ['§8', "'No Vouchers: Generate some vouchers first'"],
      ['§9', 'list limits: activity 10'],
    ],
  ),
  ...shows(
    'e2e/flows/vouchers.spec.ts',
    'a voucher is generated, redeemed in two steps, and its crypto sent',
    [
      ['§2', 'voucher card: input, verify with amount and currency, Back, cleared after redeeming'],
      [
        '§5',
        'voucher code: digits in groups of four; fewer are refused; type and wallet are required; BTC, ETH, USDT',
      ],
      ['§5', 'voucher generation: 1 to 100; 25, 50, 100 or custom; USD, BTC, ETH'],
      [
        '§8',
        "'Invalid Voucher', 'Failed to redeem voucher', 'Failed to generate voucher', 'Voucher Valid', 'Generated voucher: {code}'",
      ],
      ['§9', 'vouchers: 16 digits, 365 days, KYC over $300, CSV columns and file name'],
      ['§7', 'POST /api/vouchers/validate, /redeem; POST /api/admin/vouchers: one call a voucher'],
    ],
  ),
  ...shows(
    'e2e/flows/two-factor.spec.ts',
    'two-factor: set up, sign out, sign in through the blocking dialog with a code and with a backup code',
    [
      [
        '§8',
        "2FA at sign-in: 'Verification Failed' / 'Invalid code'; 'Verification Successful' with the note about a backup code",
      ],
      ['§7', 'POST /api/2fa/login-verify: usedBackupCode'],
    ],
  ),
  ...shows('src/features/kyc/widget.test.tsx', 'SPEC §8: a token that cannot be renewed is told of', [
    ['§8', "'Failed to initialize verification. Please try again.'"],
  ]),
  ...shows(
    'src/features/kyc/widget.test.tsx',
    'SPEC §4: an error of the widget closes it; it is never lower than 600 px',
    [['§2', 'the widget is at least 600 high; an error closes it (§4)']],
  ),
  ...shows('e2e/a11y/routes.spec.ts', "a customer's ${path}", [
    ['§2', "customers' and admins' routes of the signed-in"],
  ]),
  ...shows('e2e/a11y/routes.spec.ts', "an admin's ${path}", [['§2', 'admin routes for admins']]),
  ...shows(
    'e2e/flows/referrals.spec.ts',
    'a friend is referred, and their first order earns the reward; one that is held is decided on',
    [
      ['§2', 'referral: link with copy and share, the code, the list; statuses (§4)'],
      ['§7', 'GET /api/referrals/my-code, /stats'],
    ],
  ),
  ...shows('src/lib/format.test.ts', "SPEC §2: 'MMM dd, HH:mm'", [
    ['§2', "date formats: 'MMM dd, HH:mm' and long"],
  ]),
  ...shows('src/features/polling.test.ts', 'SPEC §9: %s, read anew every so many seconds', [
    [
      '§9',
      'polling: KYC 5 s and 30 s, orders 10 s and 15 s, payments 10 s, prices 30 s, admin 30 s and 10 s',
    ],
    ['§7', 'GET calls are refetched as §7 says'],
  ]),
  ...shows(
    'e2e/flows/story.spec.ts',
    'a visitor signs up, verifies, buys by card with 3-D Secure, and is sent the coin',
    [
      ['§7', 'GET /api/auth/user, GET /api/config: who is here, and what the site is called'],
      ['§7', 'POST /api/kyc/token; GET /api/kyc/status'],
      ['§7', 'POST /api/orders, POST /api/orders/calculate-pricing; GET /api/orders'],
      ['§7', 'POST /api/admin/payments/{id}/process; GET /api/admin/payments/pending'],
      ['§7', 'POST /api/admin/orders/{id}/fulfill; GET /api/admin/orders'],
      ['§7', 'GET /api/withdrawals, GET /api/transactions'],
    ],
  ),
  ...shows('e2e/flows/story.spec.ts', 'a declined card charges nothing, and another card then pays', [
    ['§7', 'POST /api/admin/payments/{id}/reject: declines'],
  ]),
  ...shows(
    'e2e/flows/gift-cards.spec.ts',
    'a gift card is sold: refused once with a reason, then approved, paid and realised',
    [['§7', 'POST /api/gift-cards: multipart, with its pictures']],
  ),
  ...shows(
    'e2e/flows/support.spec.ts',
    'a ticket goes both ways: asked from an order, answered, written back, closed',
    [
      ['§7', 'GET and POST /api/support/tickets'],
      ['§4', 'ticket status: open, in_progress, closed'],
    ],
  ),
  ...shows(
    'e2e/flows/dashboard-admin.spec.ts',
    "the admin's dashboard: figures, health, queues, activity, and what it says when calls are lost",
    [['§7', 'GET /api/admin/stats, GET /api/admin/recent-activity']],
  ),
  ...shows(
    'e2e/flows/books.spec.ts',
    'the older panel approves a card; it is found among all transactions, followed to its postings and to who approved it',
    [
      ['§7', 'GET /api/admin/gift-cards/pending'],
      ['§9', 'list limits: pending review 5'],
    ],
  ),
  ...shows(
    'e2e/flows/pricing-admin.spec.ts',
    'a change of pricing: tried while typing, saved, seen by a customer at once, kept with who made it',
    [
      ['§7', 'GET and PATCH /api/admin/pricing/payment-methods'],
      ['§5', 'pricing form: its required fields; numbers by 0.01'],
    ],
  ),
  ...shows('e2e/flows/pricing-admin.spec.ts', 'tiers and levels are read, and no limit is Unlimited', [
    ['§7', 'GET /api/admin/pricing/volume-tiers, /kyc'],
  ]),
  ...shows(
    'e2e/flows/customers-admin.spec.ts',
    'customers: found by e-mail in any case, filtered through the address, and given a tier by hand',
    [['§7', 'GET /api/admin/customers, /{id}/stats; PATCH …/tier: at once, closes the dialog, reads anew']],
  ),
  ...shows(
    'e2e/flows/screens.spec.ts',
    'public prices: four cards, four methods, fees, and what is missing is N/A',
    [['§7', 'GET /api/public/prices']],
  ),
  ...shows('e2e/flows/buy.spec.ts', "the dashboard's card is an estimate that opens /buy filled in", [
    ['§7', 'GET /api/exchange-rates; POST /api/buy is never called'],
  ]),
  ...shows('e2e/flows/texts.spec.ts', 'SPEC §8: every toast of the second factor, and of copying', [
    ['§7', 'GET /api/2fa/status; POST /api/2fa/setup, /verify, /disable, /regenerate-backup-codes'],
  ]),
  ...shows('e2e/flows/access.spec.ts', 'logs out, and is a visitor again', [
    ['§7', '/api/login and /api/logout are navigations'],
  ]),
  ...shows('src/features/polling.test.ts', 'SPEC §9: what was copied says so for two seconds', [
    ['§9', 'copy feedback 2 s'],
  ]),
]
