/** What dist/pages.json says of each address beside src/pages.ts: its description and the modules behind it. */
const app = ['src/routes/_app/route.tsx']
const admin = ['src/routes/admin/route.tsx']

/** Key: access and pattern. Modules are source paths; a route file stands for its split component too. */
export const details = {
  'public /': {
    modules: ['src/routes/index.tsx', 'src/features/landing/landing.tsx'],
    description:
      'Buy Bitcoin, Ethereum, USDT and USDC by card, ACH, wire or cash. The price is fixed before you pay; delivery goes to your own wallet.',
  },
  'signedin /': { modules: ['src/routes/index.tsx', 'src/features/dashboard/dashboard.tsx'] },
  'public /pricing': {
    modules: ['src/routes/pricing.tsx'],
    description: 'Live crypto prices, and the fees of every payment method.',
  },
  'public /about': {
    modules: ['src/routes/about.tsx'],
    description: 'What we do, how we keep orders safe, and how to reach us.',
  },
  'public /terms': {
    modules: ['src/routes/terms.tsx'],
    description: 'The terms under which you buy crypto here.',
  },
  'public /privacy': {
    modules: ['src/routes/privacy.tsx'],
    description: 'What we store about you, why, for how long, and your rights.',
  },
  'public /referral': { modules: ['src/routes/referral.tsx'], description: 'Invite people you know.' },
  'public /test': { modules: ['src/routes/test.tsx'], description: 'Which session this browser has.' },
  'customer /dashboard': { modules: [...app, 'src/routes/_app/dashboard.tsx'] },
  'customer /buy': { modules: [...app, 'src/routes/_app/buy.tsx'] },
  'customer /orders': { modules: [...app, 'src/routes/_app/orders/index.tsx'] },
  'customer /orders/{id}': { modules: [...app, 'src/routes/_app/orders/$id.index.tsx'] },
  'customer /orders/{id}/receipt': { modules: [...app, 'src/routes/_app/orders/$id.receipt.tsx'] },
  'customer /balance': { modules: [...app, 'src/routes/_app/balance.tsx'] },
  'customer /wallet': { modules: [...app, 'src/routes/_app/wallet.tsx'] },
  'customer /transactions': { modules: [...app, 'src/routes/_app/transactions.tsx'] },
  'customer /payouts/new': { modules: [...app, 'src/routes/_app/payouts/new.tsx'] },
  'customer /payouts/{id}': { modules: [...app, 'src/routes/_app/payouts/$id.tsx'] },
  'customer /gift-cards': { modules: [...app, 'src/routes/_app/gift-cards/index.tsx'] },
  'customer /gift-cards/{id}': { modules: [...app, 'src/routes/_app/gift-cards/$id.tsx'] },
  'customer /vouchers': { modules: [...app, 'src/routes/_app/vouchers/index.tsx'] },
  'customer /vouchers/{id}': { modules: [...app, 'src/routes/_app/vouchers/$id.tsx'] },
  'customer /support': { modules: [...app, 'src/routes/_app/support/index.tsx'] },
  'customer /support/{id}': { modules: [...app, 'src/routes/_app/support/$id.tsx'] },
  'customer /settings/profile': { modules: [...app, 'src/routes/_app/settings/profile.tsx'] },
  'customer /settings/privacy': { modules: [...app, 'src/routes/_app/settings/privacy.tsx'] },
  'customer /kyc': { modules: [...app, 'src/routes/_app/kyc.tsx'] },
  'customer /settings/2fa': { modules: [...app, 'src/routes/_app/settings/2fa.tsx'] },
  'customer /settings/security': { modules: [...app, 'src/routes/_app/settings/security.tsx'] },
  'admin /admin': { modules: [...admin, 'src/routes/admin/index.tsx'] },
  'admin /admin/dashboard': { modules: [...admin, 'src/routes/admin/dashboard.tsx'] },
  'admin /admin/payments': { modules: [...admin, 'src/routes/admin/payments.tsx'] },
  'admin /admin/orders': { modules: [...admin, 'src/routes/admin/orders.index.tsx'] },
  'admin /admin/orders/{id}': { modules: [...admin, 'src/routes/admin/orders.$id.tsx'] },
  'admin /admin/support': { modules: [...admin, 'src/routes/admin/support.index.tsx'] },
  'admin /admin/support/{id}': { modules: [...admin, 'src/routes/admin/support.$id.tsx'] },
  'admin /admin/referrals': { modules: [...admin, 'src/routes/admin/referrals.tsx'] },
  'admin /admin/kyc': { modules: [...admin, 'src/routes/admin/kyc.index.tsx'] },
  'admin /admin/kyc/{id}': { modules: [...admin, 'src/routes/admin/kyc.$id.tsx'] },
  'admin /admin/security': { modules: [...admin, 'src/routes/admin/security.tsx'] },
  'admin /admin/payouts': { modules: [...admin, 'src/routes/admin/payouts.index.tsx'] },
  'admin /admin/payouts/{id}': { modules: [...admin, 'src/routes/admin/payouts.$id.tsx'] },
  'admin /admin/gift-cards': { modules: [...admin, 'src/routes/admin/gift-cards.index.tsx'] },
  'admin /admin/gift-cards/{id}': { modules: [...admin, 'src/routes/admin/gift-cards.$id.tsx'] },
  'admin /admin/pricing': { modules: [...admin, 'src/routes/admin/pricing.tsx'] },
  'admin /admin/vouchers': { modules: [...admin, 'src/routes/admin/vouchers.tsx'] },
}
