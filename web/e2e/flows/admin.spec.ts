import type { Page } from '@playwright/test'
import { placeOrder } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { expectFits } from '../fixtures/fits'
import { verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

async function reference(page: Page, id: string): Promise<string> {
  return (await (await page.request.get(`/api/orders/${id}`)).json()).reference
}

test('the payments list keeps focus, filter and dialog through two polls, by keyboard alone', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const ref = await reference(page, await placeOrder(page, { method: 'Zelle' }))
  await admin.payments.open()
  const filter = admin.page.getByRole('button', { name: /^Pending \d/ })
  await filter.focus()
  await admin.page.keyboard.press('Enter')
  await expect(admin.page).toHaveURL(/status=pending/)
  await expect(filter).toHaveAttribute('aria-pressed', 'true')

  const details = admin.payments.card(ref).getByRole('button', { name: /^Details/ })
  await details.focus()
  await admin.page.keyboard.press('Enter')
  const dialog = admin.page.getByRole('dialog')
  await expect(dialog).toContainText(ref)
  for (let poll = 0; poll < 2; poll += 1) await admin.page.waitForResponse(/\/api\/admin\/payments\/pending/)
  await expect(dialog).toBeVisible()
  await admin.page.keyboard.press('Escape')
  await shows('§9 polling payments moves nothing', expect(details).toBeFocused())
  await admin.page.goBack()
  await expect(admin.page).not.toHaveURL(/status=/)
})

test('counters, filters and counts agree with the server', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await placeOrder(page, { method: 'Chime' })
  await admin.payments.open('?method=chime')
  const summary = await (await admin.page.request.get('/api/admin/payments/summary?method=chime')).json()
  for (const [name, value] of [
    ['Total', summary.total],
    ['Pending', summary.pending],
    ['Approved', summary.approved],
    ['Declined', summary.declined],
  ]) {
    await expect(
      admin.page
        .locator('dt')
        .filter({ hasText: new RegExp(`^${name}$`) })
        .locator('..'),
    ).toContainText(String(value))
  }
  await expect(admin.page.getByText('Total Value').locator('..')).toContainText('$')
  await expect(admin.page.getByLabel('Payment method')).toHaveValue('chime')
})

test('the orders list: six counters, search, empty states, copy', async ({ page, admin }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page)
  const ref = await reference(page, id)
  await admin.orders.open()
  for (const name of ['Total', 'Pending', 'Approved', 'Fulfilling', 'Sent', 'Failed']) {
    const counters = admin.page.locator('dl').first().locator('dt')
    await shows(
      '§2 orders: six counters',
      expect(counters.filter({ hasText: new RegExp(`^${name}$`) })).toHaveCount(1),
    )
  }
  const figures = admin.page.locator('dl').first().locator('dd')
  await expect(figures.first()).toHaveText(/\d/)
  const [total, ...states] = (await figures.allTextContents()).map(Number)
  expect(states, 'a counter for every status').toHaveLength(6)
  expect(
    states.reduce((sum, n) => sum + n, 0),
    'they sum to the total',
  ).toBe(total)
  await admin.page.getByLabel('Search').fill(id.toUpperCase())
  await expect(admin.page).toHaveURL(/q=/)
  await shows(
    '§2 orders: the search asks for no case',
    expect(admin.page.getByRole('article')).toHaveCount(1),
  )
  const card = admin.orders.card(ref)
  await expect(card).toContainText('WEB')
  await shows(
    '§2 orders: Fulfill only for payment_approved',
    expect(card.getByRole('button', { name: 'Fulfill' })).toHaveCount(0),
  )
  await admin.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await card.getByRole('button', { name: 'Copy Destination address' }).click()
  await expect(admin.page.locator('[data-toast]')).toContainText('Copied!')
  await admin.page.getByLabel('Search').fill('no such order anywhere')
  await expect(admin.page.getByText('No orders found')).toBeVisible()
  await expect(admin.page.getByText('Try adjusting your filters')).toBeVisible()
})

test('a refusal of the server is shown with its reason, in the dialog and as a toast', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const ref = await reference(page, await placeOrder(page, { method: 'Revolut' }))
  await admin.payments.open('?method=revolut&status=waiting')
  await admin.page.route('**/reject', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: '{"message":"Another decision is being carried out","code":"decision_open"}',
    }),
  )
  await admin.payments.card(ref).getByRole('button', { name: 'Reject' }).click()
  const dialog = admin.page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('x')
  await dialog.getByRole('button', { name: 'Reject payment' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Another decision is being carried out')
  await expect(admin.page.locator('[data-toast]')).toContainText('Decline Failed')
})

test('500 orders, long names and a failed one fit every width', async ({ page: customer, admin }) => {
  const { page } = admin
  await verifiedCustomer(customer)
  await placeOrder(customer)
  await page.route(/\/api\/admin\/orders(\?.*)?$/, async (route) => {
    const response = await route.fetch()
    const [one] = await response.json()
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...one,
      id: one.id.slice(0, -4) + String(index).padStart(4, '0'),
      customerEmail: `${'a-customer-with-a-very-long-address'.repeat(2)}-${index}@example.com`,
      status: index % 2 ? 'failed' : 'sent',
      actions: index % 2 ? ['retry', 'amend_address', 'mark_sent', 'refund'] : [],
      metadata: {
        ...one.metadata,
        fulfillmentError: `The exchange refused: ${'x'.repeat(120)}`,
        retryCount: 7,
        lastError: 'timeout',
      },
    }))
    return route.fulfill({ response, json: many })
  })
  await admin.orders.open('?status=all')
  await expect(page.getByRole('article')).toHaveCount(500, { timeout: 120_000 })
  for (const width of [320, 390, 768, 1280, 1600]) {
    await page.setViewportSize({ width, height: 900 })
    await expectFits(page, `${width} px`)
  }
  await page.setViewportSize({ width: 768, height: 900 })
  await expect(page.getByRole('button', { name: /^Amend address/ }).first()).toBeVisible()
})
