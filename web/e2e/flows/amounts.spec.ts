import type { Locator, Page } from '@playwright/test'
import { hostile } from '../../src/lib/amount.fixture'
import { signUp, verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

/** What the field tells of each text: its echo, a question, or why it is refused. */
async function feed(page: Page, field: Locator, unit: string): Promise<void> {
  const id = await field.getAttribute('id')
  const echo = page.locator(`[data-understood="${id}"]`)
  const error = page.locator(`#${id}-error`)
  for (const [text, reading] of hostile) {
    await field.fill(text)
    // Controls never reach a text field: the browser drops them before anybody can read them.
    const typed = await field.inputValue()
    if (typed !== text) continue
    const own = reading === 'unit' && text.includes(unit) ? undefined : reading
    if (reading === 'ambiguous') {
      await expect(page.getByText('Which amount do you mean?'), text).toBeVisible()
      await expect(echo, text).toHaveCount(0)
    } else if (reading === 'unfinished') await expect(echo, text).toHaveCount(0)
    else if (own && /^\d/.test(own)) await expect(echo.or(error), text).toHaveCount(1)
    else if (own) {
      await expect(error, text).toBeVisible()
      await expect(echo, text).toHaveCount(0)
    }
  }
}

test('/buy asks the price of what it shows, and of nothing else', async ({ page }) => {
  test.setTimeout(180_000)
  await verifiedCustomer(page)
  await page.goto('/buy')
  const asked: string[] = []
  await page.route('**/api/orders/calculate-pricing', (route) => {
    asked.push(route.request().postDataJSON().amountAsset)
    return route.fallback()
  })
  await feed(page, page.getByLabel('Amount in BTC'), 'BTC')
  const read = new Set(hostile.map(([, reading]) => reading))
  for (const amount of asked) expect(read.has(amount) || amount === '60', amount).toBe(true)

  await page.getByRole('radio', { name: /^USDC/ }).locator('xpath=ancestor::label').click()
  await page.getByLabel('Amount in USDC').fill('60,50')
  await expect(page.locator('[data-understood="amount"]')).toHaveText('= 60.5 USDC')
  await expect(page.getByText('Base price').locator('..')).toContainText('$6')
  expect(asked.at(-1)).toBe('60.50')
  await page.getByLabel('Amount in USDC').fill('1,234')
  await page.getByRole('button', { name: '1,234 USDC' }).click()
  await expect.poll(() => asked.at(-1)).toBe('1234')
  await page.getByLabel('Amount in USDC').fill('0.0000001')
  await page.getByRole('button', { name: 'Use 0.000001 USDC' }).click()
  await expect(page.getByLabel('Amount in USDC')).toHaveValue('0.000001')
})

test("the dashboard's amount fields refuse what they cannot read", async ({ page }) => {
  test.setTimeout(180_000)
  await signUp(page)
  await page.goto('/')
  await feed(page, page.locator('#swap-amount'), '$')
  await feed(page, page.locator('#gift-card-value'), '$')
})
