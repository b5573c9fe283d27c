import type { Page } from '@playwright/test'
import { authorised, Caller, order } from '../fixtures/orders'
import { isLive, signUp, verifyIdentity } from '../fixtures/people'
import { siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/** Where the open orders and the prices end, which are the last of what stands above the specification's sections. */
async function endOf(page: Page, orders: number): Promise<number> {
  await page.goto('/dashboard')
  await isLive(page)
  const actions = page.getByRole('main').getByRole('navigation').first()
  const last = actions.locator('xpath=preceding-sibling::*[1]')
  await expect(actions.locator('xpath=preceding-sibling::section'), 'the next step').toHaveCount(1)
  const [open, prices] = [last.locator('section').first(), last.locator('section').last()]
  await expect(open.getByRole('listitem')).toHaveCount(orders)
  await expect(prices.getByRole('listitem')).toHaveCount(4)
  for (const price of await prices.getByRole('listitem').all())
    await expect(price).toContainText(/\d[.,]\d\d/)
  return last.evaluate((element) => element.getBoundingClientRect().bottom + window.scrollY)
}

test('what the dashboard says first fits: for a newcomer, with orders, and where something is to be done', async ({
  page,
  admin,
}) => {
  /** `orders` are those that are shown on a wide page; a phone shows two of them. */
  const fits = async (who: string, orders: number) => {
    for (const language of ['en', 'es']) {
      await page.context().addCookies([{ name: 'lang', value: language, url: siteUrl }])
      for (const [width, limit] of [
        [1280, 800],
        [390, 1100],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        const end = await endOf(page, width === 390 ? Math.min(orders, 2) : orders)
        expect(end, `${who}, ${language}, ${width} px wide`).toBeLessThanOrEqual(limit)
      }
    }
  }
  await signUp(page)
  await fits('new', 0)

  await verifyIdentity(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]
  await authorised(customer, staff, await order(customer, 'card'))
  await fits('with an order', 1)

  for (const method of ['zelle', 'domestic_wire', 'international_wire']) await order(customer, method)
  await fits('with orders to pay', 3)
})
