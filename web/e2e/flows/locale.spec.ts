import { common } from '../../src/messages/common'
import { Caller, order } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { customerPaths, settled, visitorPaths } from '../fixtures/routes'
import { expect, test } from '../fixtures/test'

/** What a browser without a locale says it speaks: Intl takes neither. */
for (const language of ['en-US@posix', '']) {
  test(`a browser whose language is “${language}” shows amounts and dates`, async ({ page }) => {
    await page.addInitScript((language) => {
      Object.defineProperty(Navigator.prototype, 'language', { get: () => language })
      Object.defineProperty(Navigator.prototype, 'languages', { get: () => [language] })
    }, language)
    const look = async (path: string) => {
      await page.goto(path)
      await settled(page)
      await expect(page.getByText(common.somethingFailed)).toHaveCount(0)
    }

    await test.step('a visitor', async () => {
      for (const path of visitorPaths) await look(path)
      await page.goto('/')
      expect(await page.evaluate(() => navigator.language)).toBe(language)
      await expect(page.getByLabel('Live prices').getByText(/^\$[\d,]+\.\d\d$/)).toHaveCount(4)
      const pay = page.getByRole('textbox', { name: 'You pay' })
      await pay.fill('1234,50')
      await expect(page.locator('[data-understood="calc-amount"]')).toHaveText('= $1,234.50')
      // Cents have two digits: what stands before three groups them, whatever such a reader's decimal mark is.
      if (language) {
        await pay.fill('1.234')
        await expect(page.locator('[data-understood="calc-amount"]')).toHaveText('= $1,234.00')
      }
      await page.goto('/pricing')
      await expect(page.getByText(/^Last updated [A-Z][a-z]+ \d+, \d{4} at \d\d:\d\d /)).toBeVisible()
    })

    await test.step('a customer', async () => {
      await verifiedCustomer(page)
      const { id, total } = await order(new Caller(page), 'zelle')
      for (const path of customerPaths.filter((path) => !path.includes('{'))) await look(path)
      await page.goto('/orders')
      await expect(page.getByText(`$${total}`).first()).toBeVisible()
      await expect(page.getByText(/ · [A-Z][a-z]{2} \d\d, \d\d:\d\d$/).first()).toBeVisible()
      await page.goto(`/orders/${id}`)
      await expect(page.getByText(/^[A-Z][a-z]+ \d+, \d{4} at \d\d:\d\d /).first()).toBeVisible()
      await page.goto('/buy')
      await page.getByLabel('Amount in BTC').fill('0,002')
      await expect(page.locator('[data-understood="amount"]')).toHaveText('= 0.002 BTC')
    })
  })
}
