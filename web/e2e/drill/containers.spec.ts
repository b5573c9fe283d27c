import type { Page } from '@playwright/test'
import { AdminOrdersPage, AdminPaymentsPage } from '../fixtures/admin'
import { addresses, cards, payByCard, placeOrder } from '../fixtures/buying'
import { expect } from '../fixtures/expect'
import { newEmail, signUp, signUpByHand, verifiedCustomer, verifyIdentity } from '../fixtures/people'
import { effects, operator, siteUrl } from '../fixtures/stack'
import { test as base } from '../fixtures/test'

/** The admin of an installation that has no demonstration accounts. */
const test = base.extend({
  admin: async ({ browser }, use) => {
    const page = await (await browser.newContext()).newPage()
    const email = newEmail()
    await operator('grant', { email, role: 'admin' })
    await signUp(page, email)
    await use({ page, payments: new AdminPaymentsPage(page), orders: new AdminOrdersPage(page) })
    await page.context().close()
  },
})

/** An order by card whose payment the admin has captured. */
async function paid(
  page: Page,
  admin: { payments: AdminPaymentsPage },
): Promise<{ id: string; reference: string }> {
  const id = await placeOrder(page, { asset: 'BTC', amount: '0.002', address: addresses.bitcoin })
  await payByCard(page, cards.good)
  await page.waitForURL(`${siteUrl}/orders/${id}**`)
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()
  await admin.payments.open('?status=pending')
  await admin.payments.process(reference)
  await expect(page.getByText('Payment Approved').first()).toBeVisible()
  return { id, reference }
}

/** What `act` makes of one order at the providers: each effect once. */
async function once(act: () => Promise<void>): Promise<void> {
  const before = await effects()
  await act()
  const more = Object.entries(before).map(([name, count]) => [name, count + 1])
  expect(await effects()).toEqual(Object.fromEntries(more))
}

async function sent(page: Page): Promise<void> {
  await expect(page.getByText('Sent', { exact: true }).first()).toBeVisible({ timeout: 300_000 })
}

test.beforeAll(async () => {
  const signIn = async () => (await fetch(`${siteUrl}/api/login`, { redirect: 'manual' })).status
  await expect.poll(signIn).toBe(303)
})

test('a visitor signs up, verifies, buys by card, and is sent the coin', async ({ page, admin }) => {
  await signUpByHand(page)
  await verifyIdentity(page) // the simulated widget refuses frames of other sites than the local one
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await sent(page)
  })
})

test('a worker that gets past its memory limit is back, and nothing is lost', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    const starved = operator('starve', { part: 'custody' })
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await starved
    await sent(page)
  })
})

test('a release replaces the one before under an open order', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    await admin.orders.open(`?q=${id}`)
    let rolling = true
    const released = operator('release', {}).finally(() => {
      rolling = false
    })
    await admin.orders.fulfill(reference)
    while (rolling) {
      expect((await page.request.get('/api/session')).status()).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    await released
    await sent(page)
  })
})

test('the volume of Postgres is lost and made anew from the archive', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    await operator('restore', {})
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await sent(page)
  })
})
