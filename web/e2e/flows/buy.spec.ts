import type { Page } from '@playwright/test'
import { orders } from '../../src/messages/orders'
import { addresses, buyButton, fillPurchase, placeOrder, showAllMethods } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { loseFirstAnswer } from '../fixtures/lose'
import { signUp, verifiedCustomer } from '../fixtures/people'
import { pick } from '../fixtures/pick'
import { expectToastOnLeaving } from '../fixtures/said'
import { siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

async function expectToast(page: Page, title: string, description: string): Promise<void> {
  const toast = page.locator('[data-toast]')
  await expect(toast).toContainText(title)
  await expect(toast).toContainText(description)
  await expect(toast).toHaveCount(1)
}

test('specification §5: every message when something is missing, and the banner', async ({ page }) => {
  await signUp(page)
  await page.goto('/buy')
  await shows('§5 the buy button is disabled without an amount', expect(buyButton(page)).toBeDisabled())
  await expect(page.getByText('Minimum purchase for BTC: $50')).toBeVisible()

  await page.getByLabel('Amount in BTC').fill('0')
  await buyButton(page).click()
  await expectToast(page, 'Invalid Amount', 'Please enter a valid crypto amount')
  await expect(page.getByLabel('Amount in BTC')).toBeFocused()

  await page.getByLabel('Amount in BTC').fill('0.002')
  await page.getByLabel('Wallet address').fill('   ')
  await buyButton(page).click()
  await expectToast(page, 'Wallet Address Required', 'Please enter your wallet address to receive crypto')

  await page.getByLabel('Wallet address').fill(addresses.bitcoin)
  await expectToastOnLeaving(
    page,
    () => buyButton(page).click(),
    'KYC Verification Required',
    'Please complete identity verification before making purchases',
  )
  await page.waitForURL('**/kyc')
  await page.goto('/buy')
  await expect(page.getByRole('link', { name: 'Verify your identity' })).toHaveAttribute('href', '/kyc')
  await expect(page.getByLabel('Wallet address'), 'what was typed is kept').toHaveValue(addresses.bitcoin)
  expect(await (await page.request.get('/api/orders')).json()).toEqual([])
})

test('the nine methods with their timings, and the four assets', async ({ page }) => {
  await signUp(page)
  await page.goto('/buy')
  const tiles = page.getByRole('group', { name: 'How do you want to pay?' })
  await expect(tiles.getByRole('radio')).toHaveCount(3)
  await expect(tiles.getByRole('radio', { name: 'Card 3.5% · Instant', exact: true })).toHaveCount(1)
  await showAllMethods(page)
  for (const [name, timing] of [
    ['Card', 'Instant'],
    ['Domestic wire', 'Same day'],
    ['International wire', '1-2 business days'],
    ['Bank transfer', '1-3 business days'],
    ['PayPal', 'Instant'],
    ['Zelle', 'Instant'],
    ['Zelle Pay', 'Instant'],
    ['Chime', 'Instant'],
    ['Revolut', 'Instant'],
  ]) {
    await expect(
      tiles.getByRole('radio', { name: new RegExp(`^${name} (\\d|No fee).* · ${timing}$`) }),
    ).toHaveCount(1)
  }
  for (const asset of ['BTC', 'ETH', 'USDT', 'USDC']) {
    await expect(page.getByRole('radio', { name: new RegExp(`^${asset}`) })).toHaveCount(1)
  }
  const amount = page.getByLabel('Amount in BTC')
  await expect(amount).toHaveAttribute('step', '0.00000001')
  await expect(amount).toHaveAttribute('min', '0')
  await expect(amount).toHaveAttribute('placeholder', '0.001')
})

test('the wallet address is recognised with its network while it is typed', async ({ page }) => {
  await signUp(page)
  await page.goto('/buy')
  const field = page.getByLabel('Wallet address')
  await field.fill(addresses.bitcoin)
  await expect(page.getByText('Bitcoin network · SegWit address')).toBeVisible()
  await field.fill(`${addresses.bitcoin.slice(0, -1)}5`)
  await expect(page.getByText('The address has a typo. Copy it from your wallet again.')).toBeVisible()
  await field.fill('tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx')
  await expect(page.getByText('This is a test-network address. Enter a main-network address.')).toBeVisible()
  await pick(page.getByRole('radio', { name: /^USDT/ }))
  await field.fill(addresses.tron)
  await expect(page.getByText('Tron network · TRC-20 address')).toBeVisible()
  await field.fill('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
  await expect(
    page.getByText('This is a token contract, not a wallet. Enter your own wallet address.'),
  ).toBeVisible()
})

test('an amount below the minimum is refused at its field, by the server', async ({ page }) => {
  await verifiedCustomer(page)
  await page.goto('/buy')
  await page.getByLabel('Amount in BTC').fill('0.0001')
  await expect(page.locator('#amount-error')).toContainText('minimum')
  await expect(page.getByText('Change the amount to see the price.')).toBeVisible()
  await expect(page.getByText('Failed to calculate pricing')).toHaveCount(0)
  await page.getByRole('button', { name: /^Min 0\.000\d+ BTC \(\$50\)$/ }).click()
  await expect(page.getByText(/^Price held for/)).toBeVisible()
})

test('a price that cannot be had is told as a failure', async ({ page }) => {
  await signUp(page)
  await page.route('**/api/orders/calculate-pricing', (route) =>
    route.fulfill({ status: 503, json: { message: 'Prices are not available', code: 'price_stale' } }),
  )
  await page.goto('/buy')
  await page.getByLabel('Amount in BTC').fill('0.002')
  await expect(page.getByText('Failed to calculate pricing').first()).toBeVisible()
})

test('an amount in dollars buys coin at the price shown, and both are told', async ({ page }) => {
  await verifiedCustomer(page)
  await page.goto('/buy')
  const asked: string[] = []
  await page.route('**/api/orders/calculate-pricing', (route) => {
    asked.push(route.request().postDataJSON().amountAsset)
    return route.fallback()
  })
  await page.getByRole('button', { name: 'BTC: enter the amount in US dollars instead' }).click()
  await page.getByLabel('Amount in US dollars').fill('$100,50')
  await expect(page.locator('[data-understood]')).toHaveText('= $100.50')
  await expect(page.getByText(/^Price held for/)).toBeVisible()
  await expect(page.getByText('Base price').locator('..')).toContainText('$100.5')
  // The price moves, and the coin with it: both are read each time.
  const coin = async () => (await page.getByText(/^You buy 0\.00\d+ BTC$/).textContent())?.split(' ')[2] ?? ''
  await expect.poll(async () => (await coin()) === asked.at(-1), 'what is shown is asked').toBe(true)
  await page.getByRole('button', { name: 'USD: enter the amount in BTC instead' }).click()
  const amount = page.getByLabel('Amount in BTC')
  await expect(amount).toHaveValue(/^0\.00\d+$/)
  await expect.poll(async () => (await amount.inputValue()) === asked.at(-1), 'the same is asked').toBe(true)
})

test('a link of a wallet gives its address, for its own coin and amount only', async ({ page }) => {
  await signUp(page)
  await page.goto('/buy')
  const field = page.getByLabel('Wallet address')
  await page.getByLabel('Amount in BTC').fill('0.002')
  await field.fill(`bitcoin:${addresses.bitcoin}?amount=0.02`)
  await expect(page.getByText('This link requests 0.02 BTC.', { exact: false })).toBeVisible()
  await page.getByLabel('Amount in BTC').fill('0.02')
  await expect(field).toHaveValue(addresses.bitcoin)
  await field.fill(`ethereum:${addresses.ethereum}`)
  await expect(page.getByText('This link is not for BTC.')).toBeVisible()
})

test('the price has its lines and a countdown, renews itself, and what remains of the limits is shown', async ({
  page,
}) => {
  await verifiedCustomer(page)
  let asked = 0
  await page.route('**/api/orders/calculate-pricing', async (route) => {
    asked += 1
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), expiresInSeconds: 3 } })
  })
  await fillPurchase(page)
  const summary = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Order Summary' }) })
  for (const line of ['Asset', 'Amount', 'Method', 'Base price', 'Payment fee', 'Total']) {
    await expect(summary.getByText(line, { exact: true }).first()).toBeVisible()
  }
  await expect(summary.getByText('Volume discount')).toHaveCount(0)
  await expect.poll(() => asked).toBeGreaterThan(1)
  await expect(page.getByText('What you can still buy')).toBeVisible()
  await expect(page.getByText(/of \$10,000.00 left/).first()).toBeVisible()
})

test('the message of a corrected mistake is gone before the purchase is confirmed', async ({ page }) => {
  await verifiedCustomer(page)
  await page.goto('/buy')
  await page.getByLabel('Amount in BTC').fill('0.002')
  await buyButton(page).click()
  await expectToast(page, 'Wallet Address Required', 'Please enter your wallet address to receive crypto')
  await page.getByLabel('Wallet address').fill(addresses.bitcoin)
  await buyButton(page).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Confirm and pay/ })).toBeVisible()
  await expect(page.locator('[data-toast]')).toHaveCount(0)
})

test('an expired or moved price must be accepted before it can be paid', async ({ page }) => {
  await verifiedCustomer(page)
  let total = ''
  await page.route('**/api/orders/calculate-pricing', async (route) => {
    const response = await route.fetch()
    const price = await response.json()
    await route.fulfill({ response, json: { ...price, expiresInSeconds: 4, ...(total ? { total } : {}) } })
  })
  await fillPurchase(page)
  await buyButton(page).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByTestId('full-address')).toHaveText(addresses.bitcoin)
  await expect(dialog.getByText('Bitcoin network')).toBeVisible()
  await expect(dialog.getByText('This price has expired.')).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^Confirm and pay/ })).toBeDisabled()
  total = '999.99'
  await dialog.getByRole('button', { name: 'Get a new price' }).click()
  await expect(dialog.getByText(/The price has changed from .* to \$999\.99/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^Confirm and pay/ })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Use the new price' }).click()
  await expect(dialog.getByRole('button', { name: 'Confirm and pay $999.99' })).toBeEnabled()
})

test('a lost answer and a second press make one order', async ({ page }) => {
  await verifiedCustomer(page)
  await fillPurchase(page)
  await buyButton(page).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: /^Confirm and pay/ })
  await page.route('**/api/orders', (route) => route.fulfill({ status: 400, body: '' }), { times: 1 })
  await confirm.click()
  await expectToast(page, 'Order Failed', 'Failed to create order. Please try again.')
  await page.locator('[data-toast]').getByRole('button', { name: 'Close' }).click()
  const keys = await loseFirstAnswer(page, '**/api/orders')
  let priced = 0
  await page.route('**/api/orders/calculate-pricing', (route) => {
    priced += 1
    return route.fallback()
  })
  await confirm.click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText(
    'We don’t know if this went through',
  )
  await expect(page.locator('[data-toast]'), 'one message').toHaveCount(0)
  await confirm.click()
  await page.waitForURL(`${siteUrl}/orders/*`)
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
  expect(await (await page.request.get('/api/orders')).json()).toHaveLength(1)
  expect(priced, 'a held price is not asked for anew because an answer was lost').toBe(0)
})

test("the dashboard's card is an estimate that opens /buy filled in", async ({ page }) => {
  await signUp(page)
  const card = page.locator('#crypto-swap')
  await card.getByRole('button', { name: 'Buy Crypto' }).click()
  await expect(page.locator('[data-toast]')).toContainText('Please enter a valid amount')
  await card.getByLabel('Amount in USD').fill('100')
  await card.getByRole('button', { name: 'Buy Crypto' }).click()
  await expect(page.locator('[data-toast]')).toContainText('Please enter your wallet address')
  await expect(card.getByText('Fee (2.5%)').locator('..')).toContainText('≈ $2.50')
  await expect(card.getByText('Total').locator('..')).toContainText('≈ $102.50')
  await card.getByLabel('Wallet address').fill(addresses.bitcoin)
  await card.getByLabel('Payment method').selectOption('ach')
  await page.route('**/api/orders/calculate-pricing', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), total: '101.77' } })
  })
  await card.getByRole('button', { name: 'Buy Crypto' }).click()
  await page.waitForURL('**/buy')
  await expect(page.locator('[data-toast]')).toContainText('Payment Integration Required')
  await expect(page.getByRole('radio', { name: /^Bank transfer/ })).toBeChecked()
  await expect(page.getByLabel('Wallet address')).toHaveValue(addresses.bitcoin)
  await expect(page.getByLabel('Amount in US dollars')).toHaveValue('100')
  await expect(page.getByText(/^You buy 0\.00\d+ BTC$/)).toBeVisible()
  const note = page.getByText(/^The estimate was/)
  await expect(note).toHaveText(
    'The estimate was ≈ $102.50. The exact total with this payment method is $101.77.',
  )
  await page.getByLabel('Amount in US dollars').fill('200')
  // The amount is in crypto: its price may have moved by cents since.
  await expect(page.getByText('Base price').locator('..')).toContainText(/\$(199\.[5-9]|200)/)
  await expect(note, 'another amount has no estimate').toHaveCount(0)
})

test('an estimate is not compared with the price of another coin', async ({ page }) => {
  await signUp(page)
  const card = page.locator('#crypto-swap')
  await card.getByLabel('Amount in USD').fill('100')
  await card.getByLabel('Wallet address').fill(addresses.bitcoin)
  await page.route('**/api/orders/calculate-pricing', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), total: '104.77' } })
  })
  await card.getByRole('button', { name: 'Buy Crypto' }).click()
  const note = page.getByText(/^The estimate was/)
  await expect(note).toBeVisible()
  await pick(page.getByRole('radio', { name: /^ETH/ }))
  await expect(page.getByText(/^You buy 0\.0\d+ ETH$/)).toBeVisible()
  await expect(page.getByText(/^Price held for/)).toBeVisible()
  await expect(note).toHaveCount(0)
})

test('too much is told with the most, which can be pressed and is bought', async ({ page }) => {
  await verifiedCustomer(page)
  await page.goto('/buy')
  await page.getByLabel('Amount in BTC').fill('3')
  await page.getByLabel('Wallet address').fill(addresses.bitcoin)
  await expect(page.locator('#amount-error')).toContainText(/limit|maximum/)
  await page.getByRole('button', { name: /^Max / }).click()
  await expect(page.getByText(/^Price held for/)).toBeVisible()
  await expect(page.locator('#amount-error')).toHaveCount(0)
  await buyButton(page).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Confirm and pay/ })).toBeEnabled()
})

test('an unpaid card order counts down, and its paper is a summary', async ({ page }) => {
  await verifiedCustomer(page)
  await placeOrder(page)
  const left = page.getByRole('timer')
  await expect(left).toContainText(/\d\d:\d\d/)
  const before = await left.textContent()
  await expect(left).not.toHaveText(before ?? '')
  await page.getByRole('link', { name: orders.summary }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(orders.summary)
})

test('a refused photo can be sent again', async ({ page }) => {
  await signUp(page)
  await page.goto('/kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  const widget = page.frameLocator('iframe[src*="websdk"]')
  await widget.getByRole('button', { name: 'Continue' }).click()
  await widget.getByRole('button', { name: 'Use this sample photo' }).click()
  await widget.getByRole('button', { name: 'Use this sample selfie' }).click()
  await widget.getByRole('radio', { name: 'Ask for a new photo' }).check()
  await widget.getByRole('button', { name: 'Submit for review' }).click()
  await expect(page.getByText('Verification failed. Please try again.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Try Again' })).toBeVisible()
  await page.goto('/')
  await expect(page.getByText('KYC Status').locator('..')).toContainText('Rejected')
  await expect(page.getByRole('main').getByRole('link', { name: 'Try Again' })).toHaveAttribute(
    'href',
    '/kyc',
  )
})
