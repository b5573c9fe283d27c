/** One order has one label, wherever it is shown; and no page asks for what the account cannot do. */
import { dashboard } from '../../src/messages/dashboard'
import { orderPage } from '../../src/messages/order-page'
import { orders } from '../../src/messages/orders'
import { authorised, Caller, order } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

test('the next step is that of the most urgent order, however many are newer; authorised ones say so everywhere', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]
  const waiting = await order(customer, 'zelle')
  const held = await order(customer, 'card')
  for (const made of [await order(customer, 'card'), await order(customer, 'card'), held])
    await authorised(customer, staff, made)

  await page.goto('/dashboard')
  const next = page.getByRole('region', { name: dashboard.nextStep })
  await expect(next.getByRole('heading')).toHaveText(dashboard.steps.pay.title)
  await expect(next).toContainText(waiting.reference)
  await expect(page.getByText(dashboard.steps.nothing.title)).toHaveCount(0)
  // Three orders are listed: the one that is to be paid, and the newest two.
  const listed = page.getByRole('listitem').filter({ hasText: /TP-/ })
  await expect(listed).toHaveCount(3)
  await expect(listed.filter({ hasText: 'Authorized' })).toHaveCount(2)
  await expect(page.getByRole('row').filter({ hasText: 'Authorized' })).toHaveCount(3)

  for (const [path, row] of [
    ['/orders', 'listitem'],
    ['/transactions', 'row'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole(row).filter({ hasText: held.reference })).toContainText('Authorized')
    await expect(page.getByRole(row).filter({ hasText: waiting.reference })).not.toContainText('Authorized')
  }
  const file = await (await page.request.get('/api/transactions/export')).text()
  expect(file).toMatch(new RegExp(`^${held.reference},.*,authorised,`, 'm'))
  expect(file).toMatch(new RegExp(`^${waiting.reference},.*,pending,`, 'm'))
  await page.goto(`/orders/${held.id}/receipt`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(orders.summary)
  await expect(page.getByText('Authorized', { exact: true })).toBeVisible()
  await expect(page.getByText(orders.paidAt, { exact: true })).toHaveCount(0)

  await admin.page.goto(`/admin/orders?q=${held.id}`)
  await expect(admin.page.getByText('Authorized', { exact: true }).first()).toBeVisible()
  await admin.page.goto(`/admin/orders/${held.id}`)
  await expect(admin.page.getByText('Authorized', { exact: true }).first()).toBeVisible()
  await admin.page.goto(`/admin/transactions?q=${held.reference}`)
  await expect(admin.page.getByRole('row').filter({ hasText: held.reference })).toContainText('Authorized')
})

test('what was declined or refunded is no failure: not on its badge, and not by the filter', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]
  const made = await order(customer, 'card')
  const { payment } = await authorised(customer, staff, made)
  await staff.post(`/api/admin/payments/${payment.id}/reject`, { reason: 'The name on the card is another' })
  await expect
    .poll(async () => (await customer.get<{ status: string }>(`/api/orders/${made.id}`)).status)
    .toBe('failed')
  for (const path of ['/orders', '/transactions']) {
    await page.goto(path)
    const row = page.getByRole(path === '/orders' ? 'listitem' : 'row').filter({ hasText: made.reference })
    await expect(row).toContainText('Declined')
    await page.goto(`${path}?status=failed`)
    await expect(page.getByRole('button', { name: 'Clear filters' })).toBeVisible()
    await expect(row).toHaveCount(0)
  }
  await admin.page.goto(`/admin/transactions?q=${made.reference}`)
  await expect(admin.page.getByRole('row').filter({ hasText: made.reference })).toContainText('Declined')
})

test('a frozen account is told so, and asked for nothing', async ({ page, admin }) => {
  await verifiedCustomer(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]
  const unpaid = await order(customer, 'zelle')
  await page.goto(`/orders/${unpaid.id}`)
  await expect(page.getByText('Action needed')).toBeVisible()
  await expect(page.getByText(/ left$/)).toBeVisible()
  const { id } = await customer.get<{ id: string }>('/api/auth/user')
  await staff.post(`/api/admin/customers/${id}/freeze`, { reason: 'Asked for by the police' })

  await page.goto('/dashboard')
  const next = page.getByRole('region', { name: dashboard.nextStep })
  await expect(next.getByRole('heading')).toHaveText(dashboard.holds.frozen.title)
  await expect(next.getByRole('link', { name: dashboard.holds.frozen.link })).toHaveAttribute(
    'href',
    '/support',
  )
  await expect(page.getByText('An order needs you')).toHaveCount(0)
  await expect(page).toHaveTitle(/^Dashboard/)
  for (const path of [
    '/orders',
    `/orders/${unpaid.id}`,
    '/wallet',
    '/balance',
    '/payouts/new',
    '/settings/payouts',
    '/gift-cards',
  ].concat(['/vouchers'])) {
    await page.goto(path)
    await expect(page.getByRole('main').getByText(orders.holdTitle).first(), path).toBeVisible()
    await expect(page.getByText('Action needed').filter({ visible: true }), path).toHaveCount(0)
  }
  await page.goto(`/orders/${unpaid.id}`)
  await expect(page.getByText(orders.holdTitle).first()).toBeVisible()
  await expect(page.getByText(orderPage.transfer.title)).toHaveCount(0)
})
