import type { Page } from '@playwright/test'
import { fillPurchase, placeOrder } from '../fixtures/buying'
import { sellGiftCard } from '../fixtures/gift-cards'
import { Caller } from '../fixtures/orders'
import { signUp, submitDocuments } from '../fixtures/people'
import { simulator } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/** Replaces each text of the page as a browser's translation does, now and whenever something changes. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const put = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      while (walker.nextNode()) texts.push(walker.currentNode as Text)
      for (const text of texts) {
        const parent = text.parentElement
        if (!parent || /^(FONT|SCRIPT|STYLE|TEXTAREA|OPTION|TITLE)$/.test(parent.tagName)) continue
        const outer = document.createElement('font')
        const inner = document.createElement('font')
        inner.append(text.data)
        outer.append(inner)
        text.replaceWith(outer)
      }
    }
    put()
    new MutationObserver(put).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}

const crashed = (page: Page) => page.getByText('Something went wrong')

test('a page that the browser translates follows what changes: orders, the price, an identity, a gift card', async ({
  page,
  admin,
}) => {
  await signUp(page)

  await test.step('an identity is approved while its page is translated', async () => {
    const { id } = await new Caller(page).get<{ id: string }>('/api/auth/user')
    await page.goto('/kyc')
    await page.getByRole('button', { name: 'Start Verification' }).click()
    await submitDocuments(page, 'Leave it to the control page')
    await translate(page)
    await simulator('sumsub/decide', { user: id, outcome: 'approve' })
    await expect(page.getByText('Your identity is verified. All features unlocked!')).toBeVisible()
    await expect(crashed(page)).toHaveCount(0)
  })

  await test.step('another amount on /buy has another total, and the old one is gone', async () => {
    await fillPurchase(page)
    await translate(page)
    const total = page.getByRole('definition').filter({ hasText: '$' }).last()
    const before = (await total.textContent()) ?? ''
    await page.getByLabel('Amount in BTC').fill('0.004')
    await expect(total).not.toHaveText(before)
    await expect(page.locator('main').getByText(before, { exact: true })).toHaveCount(0)
    await expect(crashed(page)).toHaveCount(0)
  })

  await test.step('an order is cancelled in another tab', async () => {
    const order = await placeOrder(page)
    const list = await page.context().newPage()
    await list.goto('/orders')
    await translate(list)
    await page.goto(`/orders/${order}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await translate(page)
    await new Caller(page).post(`/api/orders/${order}/cancel`)
    for (const open of [page, list]) {
      await expect(open.getByText('Cancelled').first()).toBeVisible()
      await expect(crashed(open)).toHaveCount(0)
    }
    await list.close()
  })

  await test.step('a gift card is rejected', async () => {
    const card = await sellGiftCard(page, { value: '50' })
    await page.goto(`/gift-cards/${card}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await translate(page)
    await new Caller(admin.page).post(`/api/admin/gift-cards/${card}/reject`, { reason: 'The code is used' })
    await expect(page.getByText('We couldn’t accept this card')).toBeVisible()
    await expect(page.getByText('We’re reviewing your card')).toHaveCount(0)
    await expect(crashed(page)).toHaveCount(0)
  })
})
