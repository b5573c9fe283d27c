import { cards, fillPurchase, payByCard, placeOrder } from '../fixtures/buying'
import { signUp, verifyIdentity } from '../fixtures/people'
import { temporalUiUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'
import { orderPictures, picture, socialCard } from './camera'

// A customer's, an admin's and an operator's way through one order, on a platform with a month of data.
test('the tours', async ({ page, admin, browser }) => {
  await page.goto('/')
  await expect(page.getByLabel('Live prices').getByText(/^\$/).first()).toBeVisible()
  await picture(page, 'landing')
  await signUp(page, `robin-${Date.now()}@example.com`)
  await page.goto('/kyc')
  await picture(page, 'verify')
  await verifyIdentity(page)
  await fillPurchase(page, { amount: '0.01' })
  await picture(page, 'buy')
  const id = await placeOrder(page, { amount: '0.01' })
  await payByCard(page, cards.good)
  await expect(page.getByText('Your payment is authorized')).toBeVisible()
  await picture(page, 'order')
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()

  await admin.page.goto('/admin')
  await expect(admin.page.getByText('Recent Activity')).toBeVisible()
  await picture(admin.page, 'admin-dashboard')
  await admin.payments.open('?status=pending')
  await picture(admin.page, 'admin-payments')
  await admin.payments.process(reference)
  await expect(admin.page.getByText('Payment Processed').first()).toBeVisible()
  await admin.orders.open(`?q=${id}`)
  await admin.orders.fulfill(reference)

  await expect(page.getByText(/is (on its way to|in) your wallet/)).toBeVisible({ timeout: 60_000 })
  await page.reload()
  await picture(page, 'order-sent')
  await orderPictures(browser, page, id)
  await page.goto('/')
  await picture(page, 'dashboard')

  await admin.page.goto(`/admin/orders/${id}`)
  await expect(admin.page.getByRole('heading', { level: 1 })).toBeVisible()
  await picture(admin.page, 'admin-order')
  for (const [address, name] of [
    ['gift-cards', 'admin-gift-cards'],
    ['reconciliation', 'admin-reconciliation'],
    ['treasury', 'admin-treasury'],
    ['ledger', 'admin-ledger'],
  ] as const) {
    await admin.page.goto(`/admin/${address}`)
    await expect(admin.page.getByRole('heading', { level: 1 })).toBeVisible()
    await picture(admin.page, name)
  }

  await admin.page.goto(`${temporalUiUrl}/namespaces/tradepost/workflows/order%2F${id}`)
  await expect(admin.page.getByText(`order/${id}`).first()).toBeVisible()
  await expect(admin.page.getByText('Running').or(admin.page.getByText('Completed')).first()).toBeVisible()
  await admin.page.waitForLoadState('networkidle')
  await picture(admin.page, 'temporal')
})

for (const [language, file] of [
  ['en', 'social.png'],
  ['es', 'social-es.png'],
] as const) {
  test(`the social card in ${language}`, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 630 }, locale: language })
    const page = await context.newPage()
    await page.goto('/')
    // The prices come last: by then the page is the browser's own, no longer the prerendered one.
    await expect(
      page
        .locator('main')
        .getByText(/^\$[\d,]+\.\d\d$/)
        .first(),
    ).toBeVisible()
    // The first view by itself, without what an installation configures (its name, its bonus, its fees) and
    // today's prices. The page's policy allows no style sheet of ours.
    await page.evaluate(() => {
      const others = 'header, footer, main > :not(:first-child), [data-claim], div:has(> form)'
      for (const other of document.querySelectorAll<HTMLElement>(others)) other.style.display = 'none'
      const view = document.querySelector<HTMLElement>('div:has(> div > h1)')
      if (view) Object.assign(view.style, { display: 'block', padding: '10rem 4rem' })
      document.documentElement.style.fontSize = '20px'
    })
    await socialCard(page, file)
    await context.close()
  })
}
