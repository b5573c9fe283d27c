import { fillPurchase } from '../fixtures/buying'
import { test } from '../fixtures/crowd'
import { authorised, fulfilled, order, paid, until } from '../fixtures/orders'
import { cases } from '../fixtures/situations'
import { contactSheet } from './camera'

// What docs/design.md shows of each screen: both widths, both themes, on one sheet. SHEETS names another folder.
test('the screens, in both themes at 1280 and 390', async ({ page, customer, staff }, info) => {
  test.setTimeout(1_800_000)
  const visitor = page
  const brought = async (name: string) => {
    const made = await cases[name]?.bring(customer, staff)
    if (!made) throw new Error(`no case ${name}`)
    const [status, reason] = name.split(' + ')
    await until(staff, made, name, (seen) => seen.status === status && seen.attention?.reason === reason)
    return made
  }
  const holding = async () => {
    const made = await order(customer, 'card', 'ETH')
    await authorised(customer, staff, made)
    return made
  }
  const sending = async () => {
    const made = await paid(customer, staff)
    await fulfilled(staff, made)
    await until(staff, made, 'sent', (seen) => seen.status === 'sent')
    return made
  }
  const [unpaid, held, sent, short, refused, disputed] = await Promise.all([
    order(customer, 'card'),
    holding(),
    sending(),
    brought('pending + money_short'),
    brought('filled + address_refused'),
    brought('payment_approved + disputed'),
  ])

  const sheet = (of: typeof page, name: string, way: string | (() => Promise<unknown>)) =>
    contactSheet(of, name, typeof way === 'string' ? () => of.goto(way) : way, (file) =>
      info.outputPath(file),
    )
  const confirming = async () => {
    await customer.page.setViewportSize({ width: 1280, height: 900 })
    await fillPurchase(customer.page)
  }
  await sheet(visitor, 'landing', '/')
  await sheet(visitor, 'sign-up', async () => {
    await visitor.goto('/')
    await visitor.getByRole('link', { name: 'Get Started' }).first().click()
    await visitor.getByLabel('Country').waitFor()
  })
  for (const [name, path] of [
    ['dashboard', '/dashboard'],
    ['buy', '/buy'],
    ['order-unpaid', `/orders/${unpaid.id}`],
    ['order-held', `/orders/${held.id}`],
    ['order-sent', `/orders/${sent.id}`],
    ['order-short', `/orders/${short.id}`],
    ['order-address', `/orders/${refused.id}`],
    ['order-disputed', `/orders/${disputed.id}`],
    ['receipt', `/orders/${sent.id}/receipt`],
    ['orders', '/orders'],
    ['wallet', '/wallet'],
    ['transactions', '/transactions'],
    ['verification', '/kyc'],
    ['profile', '/settings/profile'],
    ['security', '/settings/security'],
    ['your-data', '/settings/privacy'],
    ['payout', '/payouts/new'],
  ] as const)
    await sheet(customer.page, name, path)
  await sheet(customer.page, 'buy-filled', confirming)
  for (const [name, path] of [
    ['admin-dashboard', '/admin'],
    ['admin-payments', '/admin/payments'],
    ['admin-orders', '/admin/orders'],
    ['admin-order', `/admin/orders/${refused.id}`],
    ['admin-kyc', '/admin/kyc'],
    ['admin-gift-cards', '/admin/gift-cards'],
    ['admin-vouchers', '/admin/vouchers'],
    ['admin-customers', '/admin/customers'],
    ['admin-transactions', '/admin/transactions'],
    ['admin-support', '/admin/support'],
    ['admin-payouts', '/admin/payouts'],
    ['admin-risk', '/admin/risk'],
    ['admin-audit', '/admin/audit'],
  ] as const)
    await sheet(staff.page, name, path)
  const { id } = await customer.get<{ id: string }>('/api/auth/user')
  await sheet(staff.page, 'admin-customer', `/admin/customers/${id}`)
})
