import type { Page } from '@playwright/test'
import { AdminOrdersPage, AdminPaymentsPage } from '../fixtures/admin'
import { addresses, cards, payByCard, placeOrder } from '../fixtures/buying'
import { expect } from '../fixtures/expect'
import { newEmail, signUp } from '../fixtures/people'
import { effects, krakenUrl, operator, siteUrl } from '../fixtures/stack'
import { test as base } from '../fixtures/test'

/** The admin of an installation that has no demonstration accounts. */
export const test = base.extend({
  admin: async ({ browser }, use) => {
    const page = await (await browser.newContext()).newPage()
    const email = newEmail()
    const signIn = async () => (await fetch(`${siteUrl}/api/login`, { redirect: 'manual' })).status
    await expect.poll(signIn).toBe(303)
    await operator('grant', { email, role: 'admin' })
    await signUp(page, email)
    await use({ page, payments: new AdminPaymentsPage(page), orders: new AdminOrdersPage(page) })
    await page.context().close()
  },
})

/** An order by card whose payment the admin has captured. */
export async function paid(
  page: Page,
  admin: { payments: AdminPaymentsPage },
  address: string = addresses.bitcoin,
): Promise<{ id: string; reference: string }> {
  const id = await placeOrder(page, { asset: 'BTC', amount: '0.002', address })
  await payByCard(page, cards.good)
  await page.waitForURL(`${siteUrl}/orders/${id}**`)
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()
  await admin.payments.open('?status=pending')
  await admin.payments.process(reference)
  await expect(page.getByText('Payment Approved').first()).toBeVisible()
  return { id, reference }
}

/** The providers' effects, of which the fills are those of what plays Kraken. */
async function counted(): Promise<Record<string, number>> {
  return { ...(await effects()), 'kraken/fill': (await effects(krakenUrl))['kraken/fill'] ?? 0 }
}

/** What `act` makes of one order at the providers: each effect once. */
export async function once(act: () => Promise<void>): Promise<void> {
  const before = await counted()
  await act()
  const more = Object.entries(before).map(([name, count]) => [name, count + 1])
  expect(await counted()).toEqual(Object.fromEntries(more))
}

export async function sent(page: Page): Promise<void> {
  await expect(page.getByText('Sent', { exact: true }).first()).toBeVisible({ timeout: 300_000 })
}
