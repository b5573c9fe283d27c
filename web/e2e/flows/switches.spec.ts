import type { Page } from '@playwright/test'
import { adminSwitches as texts } from '../../src/messages/admin-switches'
import { situations, waitingTexts } from '../../src/messages/situations'
import { expectNoViolation } from '../fixtures/accessible'
import { showAllMethods } from '../fixtures/buying'
import { Caller, fulfilled, order, transferred, until } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

// PayPal is used by no other flow. Sign-ups, assets and deliveries are shared: internal/identity and api
// prove those.

async function turn(page: Page, what: string, pause: boolean): Promise<void> {
  const verb = pause ? texts.pause : texts.resume
  await page.getByRole('button', { name: `${verb} ${what}` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: verb })).toBeDisabled()
  await dialog.getByLabel(texts.reason).fill('The bank is slow')
  await dialog.getByRole('button', { name: verb }).click()
  await expect(page.getByText(`${what}: ${pause ? 'paused' : 'resumed'}`).first()).toBeVisible()
}

test('a payment method is paused and resumed: the order waits, its customer reads why, and it is sent', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]
  const made = await order(customer, 'paypal')
  await transferred(staff, made, made.total)
  await until(staff, made, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
  await admin.page.goto('/admin/switches')
  await expect(admin.page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectNoViolation(admin.page)
  await turn(admin.page, 'PayPal', true)
  await expect(admin.page.getByText('by alice@example.com: “The bank is slow”').first()).toBeVisible()

  await test.step('nobody can buy by it, and the tile says so', async () => {
    await page.goto('/buy')
    await showAllMethods(page)
    await expect(page.getByRole('radio', { name: /^PayPal/ })).toBeDisabled()
    await expect(
      page.getByText('This payment method is paused at the moment.', { exact: false }),
    ).toBeVisible()
    await expect(order(customer, 'paypal')).rejects.toThrow(/503.*rail_paused/)
    await page.goto('/pricing')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  })

  await test.step('the paid order waits, visibly for both', async () => {
    await fulfilled(staff, made)
    await until(staff, made, 'paused', (seen) => seen.attention?.reason === 'paused')
    await page.goto(`/orders/${made.id}`)
    await expect(page.locator('[data-situation]').getByText(waitingTexts.paused.title)).toBeVisible()
    await expect(page.locator('[data-situation]').getByText(situations.money, { exact: true })).toBeVisible()
    await admin.page.goto('/admin/orders?attention=true')
    await expect(admin.page.getByText(made.reference).first()).toBeVisible()
  })

  await test.step('resumed, it goes on by itself', async () => {
    await admin.page.goto('/admin/switches')
    await turn(admin.page, 'PayPal', false)
    await until(staff, made, 'sent', (seen) => seen.status === 'sent' && !seen.attention)
    await page.goto('/buy')
    await showAllMethods(page)
    await expect(page.getByRole('radio', { name: /^PayPal/ })).toBeEnabled()
  })
})
