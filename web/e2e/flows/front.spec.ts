import { addresses, placeOrder } from '../fixtures/buying'
import { expectFits } from '../fixtures/fits'
import { fillAccount, forget, newEmail, signUp, typeCode, verifiedCustomer } from '../fixtures/people'
import { siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test('what is chosen on the landing page is filled in on /buy after signing up', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('textbox', { name: 'You pay' }).fill('60,50')
  await page.getByRole('radio', { name: /^ACH 1\.5% fee/ }).check()
  await expect(page.getByText(/^Includes \$0\.\d\d in fees, at \$[\d,.]+ per BTC/)).toBeVisible()
  await page.getByRole('link', { name: 'Buy BTC' }).click()
  const email = newEmail()
  await fillAccount(page, email)
  await typeCode(page, email)
  await page.waitForURL(`${siteUrl}/buy`)
  await expect(page.getByRole('radio', { name: /^Bank transfer/ })).toBeChecked()
  // Of $60.50 in all, what is left for coin.
  await expect(page.getByLabel('Amount in US dollars')).toHaveValue('59.60')
  await expect(page.getByText(/^You buy 0\.000\d+ BTC$/)).toBeVisible()
})

test('an amount is read as people write dollars, and what is none buys nothing', async ({ page }) => {
  await page.goto('/')
  const amount = page.getByRole('textbox', { name: 'You pay' })
  await expect(page.getByText(/^Includes /)).toBeVisible()
  for (const [typed, read] of [
    ['1,234.50', '= $1,234.50'],
    ['$1,000.00', '= $1,000.00'],
    ['1 000', '= $1,000.00'],
    ['1,234', '= $1,234.00'],
    ['60,50', '= $60.50'],
  ] as const) {
    await amount.fill(typed)
    await expect(page.locator('[data-understood="calc-amount"]')).toHaveText(read)
    await expect(page.getByText(/^Includes /)).toBeVisible()
  }
  for (const typed of ['1e3', '-5', '']) {
    await amount.fill(typed)
    await expect(page.getByText('Enter an amount in dollars, such as 60.50.')).toBeVisible()
    await expect(page.locator('output')).toHaveText('—')
  }
})

test('an installation without claims makes none', async ({ page, siteWith }) => {
  const silent = { CLAIM_SIGNUP_BONUS: '0', CLAIM_KYC_REVIEW_MINUTES: '' }
  const none = {
    CLAIM_COUNTRIES: '',
    CLAIM_TOKENS: '',
    CLAIM_PROCESSED: '',
    CLAIM_USERS: '',
    CLAIM_STANDARDS: '',
  }
  const site = await siteWith({ ...silent, ...none })
  const first = await (await page.request.get(`${site}/`)).text()
  expect(first).not.toMatch(/\$25\b|5-15|180\+|150\+|100M\+|1M\+|PCI DSS|\{\{/)
  await page.goto(`${site}/`)
  await expect(page.getByText(/^Includes /)).toBeVisible()
  const said = await page.getByRole('main').innerText()
  expect(said).not.toMatch(/bonus|free Bitcoin|\d\+|usually takes|\$ /i)
})

test('on a phone the calculator is in the first view, and the page is no longer than six of them', async ({
  page,
}) => {
  const height = 844
  await page.setViewportSize({ width: 390, height })
  await page.goto('/')
  await expect(page.getByLabel('You pay')).toBeInViewport()
  await expect(page.getByRole('img', { name: /order that was sent/ }).filter({ visible: true })).toHaveCount(
    1,
  )
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  expect(whole).toBeLessThan(6 * height)
})

test('the card fee is one figure on the landing page and the prices; the dashboard estimates', async ({
  page,
}) => {
  const prices = await (await page.request.get('/api/public/prices')).json()
  const card = prices.paymentMethods.find((entry: { method: string }) => entry.method === 'card')
  await page.goto('/')
  await expect(page.getByText(`${card.margin}% fee. We charge your card`, { exact: false })).toBeVisible()
  await expect(page.getByRole('radio', { name: `Card ${card.margin}% fee` })).toBeVisible()
  await page.goto('/pricing')
  await expect(page.getByRole('listitem').filter({ hasText: 'Card' }).first()).toContainText(
    `${card.margin}%`,
  )
  await signUp(page)
  await expect(page.locator('#crypto-swap').getByText('Fee (2.5%)')).toBeVisible()
  await expect(page.getByLabel('You pay'), 'one form to buy').toHaveCount(0)
})

test('a customer of a higher tier reads the same terms on the dashboard as on /buy', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const { id } = await (await page.request.get('/api/auth/user')).json()
  const changed = await admin.page.request.patch(`/api/admin/customers/${id}/tier`, {
    data: { volumeTier: 'platinum', reason: 'A large customer' },
    headers: { origin: siteUrl },
  })
  expect(changed.ok(), await changed.text()).toBe(true)
  const { methods } = await (await page.request.get('/api/limits')).json()
  const own = methods.find((one: { method: string }) => one.method === 'card')
  expect(Number(own.volumeDiscount)).toBeGreaterThan(0)
  await page.goto('/dashboard')
  const swap = page.locator('#crypto-swap')
  await expect(swap.getByText('Fee (2.5%)'), 'an estimate, the same for every method').toBeVisible()
  await swap.getByLabel('Amount in USD').fill('200')
  const off = (2 * Number(own.volumeDiscount)).toFixed(2)
  const total = (200 + 2 * Number(own.margin) - Number(off)).toFixed(2)
  await expect(swap.getByText('Total').locator('..')).toContainText('≈ $205.00')
  await swap.getByLabel('Wallet address').fill(addresses.bitcoin)
  await swap.getByRole('link', { name: 'Continue to the purchase page' }).click()
  await expect(page.getByText(`−$${off}`).first()).toBeVisible()
  // The coin's last digit may make a cent of difference.
  const cents = [-1, 0, 1].map((more) => (Number(total) + more / 100).toFixed(2))
  await expect(page.getByText(new RegExp(`^\\$(${cents.join('|')})$`)).first()).toBeVisible()
})

test('the dashboard begins with the next step, open orders and prices', async ({ page }) => {
  await signUp(page)
  const next = page.getByRole('region', { name: 'Next step' })
  await expect(next.getByRole('link', { name: 'Verify now' })).toHaveAttribute('href', '/kyc')
  await expect(page.getByText('No open orders')).toBeVisible()
  await forget(page)
  await verifiedCustomer(page)
  const order = await placeOrder(page)
  const { reference } = await (await page.request.get(`/api/orders/${order}`)).json()
  await page.goto('/dashboard')
  await page.getByRole('link', { name: reference }).first().click()
  await expect(page).toHaveURL(`${siteUrl}/orders/${order}`)
})

test('a day of prices is a line with its change, and no history is said', async ({ page }) => {
  const now = Date.now()
  const at = (hours: number) => new Date(now - hours * 3_600_000).toISOString()
  await page.route('**/api/public/price-history', (route) =>
    route.fulfill({
      json: { prices: { BTC: [24, 12, 6].map((hours) => ({ at: at(hours), price: '1000.00' })) } },
    }),
  )
  await signUp(page)
  await page.goto('/dashboard')
  const bitcoin = page.getByRole('listitem').filter({ hasText: 'Bitcoin' }).filter({ hasText: 'in 24 hours' })
  await expect(bitcoin).toContainText(/\+[\d,]+\.\d\d% in 24 hours/)
  await expect(page.getByText('No history yet')).toHaveCount(3)
})

test('settings are one frame, on a phone a list', async ({ page }) => {
  await signUp(page)
  await page.goto('/settings')
  const menu = page.getByRole('navigation', { name: 'Settings' })
  for (const [name, path] of [
    ['Profile', '/settings/profile'],
    ['Security', '/settings/security'],
    ['Verification', '/kyc'],
    ['Payout accounts', '/settings/payouts'],
    ['Notifications', '/settings/notifications'],
    ['Your data', '/settings/privacy'],
  ] as const) {
    await menu.getByRole('link', { name }).click()
    await expect(page).toHaveURL(`${siteUrl}${path}`)
    await expect(menu.getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('link', { name: 'Settings', exact: true }).filter({ visible: true }).first().click()
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Payout accounts/ })
    .filter({ visible: true })
    .click()
  await expect(page.getByText('No payouts yet')).toBeVisible()
  await expectFits(page, '/settings/payouts')
})
