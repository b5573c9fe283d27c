import { common } from './messages/common'
import { titles } from './messages/pages'

/**
 * Every address of the app, once. `npm run build` writes it to dist/pages.json with each page's description and the
 * chunks to preload (scripts/pages.mjs); the server takes titles, descriptions and "404 or not" from there.
 */
export type Access = 'public' | 'signedin' | 'customer' | 'admin'

/** Pattern (exact, or with `{x}` for one segment), who may see it, title. `/` is two pages; staff's are in English. */
export const pages: readonly (readonly [pattern: string, access: Access, title: string])[] = [
  ['/', 'public', titles.landing],
  ['/', 'signedin', titles.dashboard],
  ['/pricing', 'public', titles.pricingRates],
  ['/about', 'public', titles.aboutUs],
  ['/terms', 'public', titles.termsOfService],
  ['/privacy', 'public', titles.privacyPolicy],
  ['/legal/{document}', 'public', titles.legalText],
  ['/referral', 'public', titles.referralProgram],
  ['/open', 'public', titles.open],
  ['/test', 'public', titles.test],
  ['/dashboard', 'customer', titles.dashboard],
  ['/buy', 'customer', titles.buyCrypto],
  ['/orders', 'customer', titles.myOrders],
  ['/orders/{id}', 'customer', titles.order],
  ['/orders/{id}/receipt', 'customer', titles.receipt],
  ['/wallet', 'customer', titles.wallet],
  ['/balance', 'customer', titles.accountBalance],
  ['/transactions', 'customer', titles.transactions],
  ['/payouts/new', 'customer', titles.newPayout],
  ['/payouts/{id}', 'customer', titles.payout],
  ['/gift-cards', 'customer', titles.myGiftCards],
  ['/gift-cards/{id}', 'customer', titles.giftCard],
  ['/vouchers', 'customer', titles.myVouchers],
  ['/vouchers/{id}', 'customer', titles.voucher],
  ['/support', 'customer', titles.support],
  ['/support/{id}', 'customer', titles.supportTicket],
  ['/settings', 'customer', titles.settings],
  ['/settings/profile', 'customer', titles.profile],
  ['/settings/payouts', 'customer', titles.payoutAccounts],
  ['/settings/notifications', 'customer', titles.notifications],
  ['/settings/privacy', 'customer', titles.yourData],
  ['/kyc', 'customer', titles.identityVerification],
  ['/settings/2fa', 'customer', titles.twoFactorAuthentication],
  ['/settings/security', 'customer', titles.security],
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
  ['/admin/security', 'admin', '2FA resets'],
  ['/admin/payouts', 'admin', 'Payouts'],
  ['/admin/payouts/{id}', 'admin', 'Payout'],
  ['/admin/gift-cards', 'admin', 'Gift cards'],
  ['/admin/gift-cards/{id}', 'admin', 'Gift card'],
  ['/admin/pricing', 'admin', 'Pricing Configuration'],
  ['/admin/referrals', 'admin', 'Referrals'],
  ['/admin/risk', 'admin', 'Risk'],
  ['/admin/reconciliation', 'admin', 'Reconciliation'],
  ['/admin/reconciliation/{id}', 'admin', 'Break'],
  ['/admin/switches', 'admin', 'Kill switches'],
  ['/admin/vouchers', 'admin', 'Vouchers'],
  ['/admin/vouchers/batches', 'admin', 'Voucher batches'],
  ['/admin/vouchers/batches/{id}', 'admin', 'Voucher batch'],
  ['/admin/team', 'admin', 'Team'],
  ['/admin/transactions', 'admin', 'All transactions'],
  ['/admin/treasury', 'admin', 'Treasury'],
  ['/admin/treasury/{id}', 'admin', 'Treasury move'],
  ['/admin/ledger', 'admin', 'Ledger'],
  ['/admin/ledger/postings', 'admin', 'Postings'],
  ['/admin/ledger/journal', 'admin', 'Manual entries'],
  ['/admin/alerts', 'admin', 'Alerts'],
  ['/admin/approvals', 'admin', 'Approvals'],
  ['/admin/money', 'admin', 'Money in'],
  ['/admin/closed-credits', 'admin', 'Closed accounts'],
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
