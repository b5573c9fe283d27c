import { common } from './messages/common'

/**
 * Every address of the app, once. `npm run build` writes it to dist/pages.json with each page's description and the
 * chunks to preload (scripts/pages.mjs); the server takes titles, descriptions and "404 or not" from there.
 */
export type Access = 'public' | 'signedin' | 'customer' | 'admin'

/** Pattern (exact, or with `{x}` for one segment), who may see it, title. `/` is two pages. */
export const pages: readonly (readonly [pattern: string, access: Access, title: string])[] = [
  ['/', 'public', 'Buy Bitcoin and crypto to your own wallet'],
  ['/', 'signedin', 'Dashboard'],
  ['/pricing', 'public', 'Pricing & Rates'],
  ['/about', 'public', 'About Us'],
  ['/terms', 'public', 'Terms of Service'],
  ['/privacy', 'public', 'Privacy Policy'],
  ['/referral', 'public', 'Referral Program'],
  ['/test', 'public', 'Test page'],
  ['/dashboard', 'customer', 'Dashboard'],
  ['/buy', 'customer', 'Buy Crypto'],
  ['/orders', 'customer', 'My Orders'],
  ['/orders/{id}', 'customer', 'Order'],
  ['/orders/{id}/receipt', 'customer', 'Receipt'],
  ['/wallet', 'customer', 'Wallet'],
  ['/balance', 'customer', 'Account balance'],
  ['/transactions', 'customer', 'Transactions'],
  ['/payouts/new', 'customer', 'Pay out to your bank'],
  ['/payouts/{id}', 'customer', 'Payout'],
  ['/gift-cards', 'customer', 'My Gift Cards'],
  ['/gift-cards/{id}', 'customer', 'Gift card'],
  ['/vouchers', 'customer', 'My Vouchers'],
  ['/vouchers/{id}', 'customer', 'Voucher'],
  ['/support', 'customer', 'Support'],
  ['/support/{id}', 'customer', 'Support ticket'],
  ['/settings/profile', 'customer', 'Profile'],
  ['/settings/privacy', 'customer', 'Your data'],
  ['/kyc', 'customer', 'Identity verification'],
  ['/settings/2fa', 'customer', 'Two-factor authentication'],
  ['/settings/security', 'customer', 'Security'],
  ['/admin', 'admin', 'Back office'],
  ['/admin/dashboard', 'admin', 'Back office'],
  ['/admin/payments', 'admin', 'Pending Payments'],
  ['/admin/orders', 'admin', 'Direct Orders'],
  ['/admin/orders/{id}', 'admin', 'Order'],
  ['/admin/support', 'admin', 'Support'],
  ['/admin/support/{id}', 'admin', 'Support ticket'],
  ['/admin/customers', 'admin', 'Customers'],
  ['/admin/customers/{id}', 'admin', 'Customer'],
  ['/admin/kyc', 'admin', 'KYC'],
  ['/admin/kyc/{id}', 'admin', 'Identity'],
  ['/admin/security', 'admin', 'Lost factors'],
  ['/admin/payouts', 'admin', 'Payouts'],
  ['/admin/payouts/{id}', 'admin', 'Payout'],
  ['/admin/gift-cards', 'admin', 'Gift Cards'],
  ['/admin/gift-cards/{id}', 'admin', 'Gift card'],
  ['/admin/pricing', 'admin', 'Pricing Configuration'],
  ['/admin/referrals', 'admin', 'Referrals'],
  ['/admin/risk', 'admin', 'Risk'],
  ['/admin/reconciliation', 'admin', 'Reconciliation'],
  ['/admin/reconciliation/{id}', 'admin', 'Break'],
  ['/admin/switches', 'admin', 'Kill Switches'],
  ['/admin/vouchers', 'admin', 'Vouchers'],
  ['/admin/vouchers/batches', 'admin', 'Voucher batches'],
  ['/admin/vouchers/batches/{id}', 'admin', 'Voucher batch'],
  ['/admin/team', 'admin', 'Team'],
  ['/admin/transactions', 'admin', 'All transactions'],
  ['/admin/treasury', 'admin', 'Treasury'],
  ['/admin/treasury/{id}', 'admin', 'Move of coin'],
  ['/admin/ledger', 'admin', 'Ledger'],
  ['/admin/ledger/postings', 'admin', 'Postings'],
  ['/admin/audit', 'admin', 'Audit'],
  ['/admin/legacy', 'admin', 'Admin panel'],
]

function matches(pattern: string, path: string): boolean {
  const own = pattern.split('/')
  const asked = path.replace(/(.)\/$/, '$1').split('/')
  return (
    own.length === asked.length && own.every((part, index) => part.startsWith('{') || part === asked[index])
  )
}

/** The document's title at a path. */
export function titleFor(path: string, brand: string, signedIn: boolean): string {
  const found = pages.filter(([pattern]) => matches(pattern, path))
  const page = found.find(([, access]) => access === (signedIn ? 'signedin' : 'public')) ?? found[0]
  return `${page ? page[2] : common.notFound} · ${brand}`
}
