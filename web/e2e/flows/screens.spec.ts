import type { Browser, Page, Route } from '@playwright/test'
import { placeOrder } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { signUp, verifiedCustomer, verifyIdentity } from '../fixtures/people'
import { pick } from '../fixtures/pick'
import { expect, test } from '../fixtures/test'

/** Lets a read fail until `heal()`, as a failing server would. */
async function failing(page: Page, url: string): Promise<() => void> {
  let broken = true
  await page.route(url, (route: Route) => {
    if (!broken || route.request().method() !== 'GET') return route.fallback()
    return route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"message":"Please try again in a minute.","code":"unavailable"}',
    })
  })
  return () => {
    broken = false
  }
}

test.describe('each list says when it is empty, and when it failed, and recovers', () => {
  for (const { path, url, failed, empty } of [
    { path: '/orders', url: '**/api/orders', failed: 'Failed to fetch orders', empty: 'No orders yet' },
    {
      path: '/transactions',
      url: '**/api/transactions?*',
      failed: 'Failed to fetch orders',
      empty: 'No transactions yet',
    },
    {
      path: '/wallet',
      url: '**/api/withdrawals?*',
      failed: 'Failed to fetch withdrawals',
      empty: 'No withdrawals yet',
    },
  ]) {
    test(`${path}: ${failed}`, async ({ page }) => {
      await signUp(page)
      const heal = await failing(page, url)
      await page.goto(path)
      const alert = page.getByRole('alert').filter({ hasText: failed })
      await expect(alert).toContainText('Please try again in a minute.')
      heal()
      await alert.getByRole('button', { name: 'Try again' }).click()
      await expect(page.getByText(empty)).toBeVisible()
      await expect(alert).toHaveCount(0)
      for (const name of path === '/orders' ? ['New Order', 'Buy Crypto Now'] : [])
        await expect(page.getByRole('main').getByRole('link', { name })).toHaveAttribute('href', '/buy')
    })
  }
})

test('transactions: filters live in the address, Back restores them, and nothing found is said as such', async ({
  page,
}) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page)
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()
  await page.goto('/transactions')
  await expect(page.getByText('Showing 1 of 1 transactions')).toBeVisible()
  await page.getByLabel('Status').selectOption('completed')
  await expect(page).toHaveURL(/status=completed/)
  await expect(page.getByText('Showing 0 of 1 transactions')).toBeVisible()
  await expect(page.getByText('No transactions match your filters')).toBeVisible()
  await shows(
    '§2 transactions: no export of nothing',
    expect(page.getByRole('button', { name: 'Export CSV' })).toBeDisabled(),
  )
  await page.goBack()
  await expect(page.getByText('Showing 1 of 1 transactions')).toBeVisible()
  await page.getByLabel('Search').fill(id)
  await expect(page).toHaveURL(new RegExp(`q=${id}`))
  await expect(page.getByRole('row').filter({ hasText: reference })).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const file = await download
  await shows('§9 transactions CSV: its name', () =>
    expect(file.suggestedFilename()).toMatch(/^transactions-\d{4}-\d{2}-\d{2}\.csv$/),
  )
  const lines = (await (await file.createReadStream()).toArray()).join('').trim().split(/\r?\n/)
  await shows('§9 transactions CSV: its columns', () =>
    expect(lines[0]).toBe('Order ID,Date,Crypto,Amount,USD Amount,Payment Method,Status,Wallet Address'),
  )
  expect(lines).toHaveLength(2)

  await test.step('on a phone: the same search, filters, count and file, nothing wider than the window', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto('/transactions?status=failed')
    await expect(page.getByText('Showing 0 of 1 transactions')).toBeVisible()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(page).toHaveURL(/\/transactions$/)
    await page.getByLabel('Search').fill(id)
    await expect(page.getByText('Showing 1 of 1 transactions')).toBeVisible()
    await expect(page.getByRole('link', { name: reference })).toBeVisible()
    const arriving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    expect((await arriving).suggestedFilename()).toMatch(/^transactions-/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })
})

test('the newsletter thanks, empties its field, and calls nobody', async ({ page }) => {
  await page.goto('/')
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') calls.push(request.url())
  })
  const toast = page.locator('[data-toast]')
  await page.getByLabel('E-mail address').fill('reader@example.com')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await expect(toast).toContainText('Thank you!')
  await expect(toast).toContainText("You've been added to our newsletter.")
  await expect(page.getByLabel('E-mail address')).toHaveValue('')
  await shows('§2 newsletter: no call is made', () => expect(calls).toEqual([]))
  await expect(toast).toHaveCount(0, { timeout: 20_000 })
})

test('the landing page is there before any script has run', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('$25 free Bitcoin', { exact: false }).first()).toBeVisible()
  await expect(page.getByText('180+', { exact: true })).toBeVisible()
  await expect(page.getByText('Loading prices…').first()).toBeVisible()
  await expect(page.getByText(/Live prices aren’t available/)).toHaveCount(0)
  await expect(page.getByText('{{')).toHaveCount(0)
  await context.close()
})

/** Holds the scripts of the page's next document until the returned function is called. */
async function scriptsHeld(page: Page): Promise<() => void> {
  let bring = () => {}
  const brought = new Promise<void>((resolve) => {
    bring = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await brought
    await route.fallback()
  })
  return bring
}

test('what is pressed and typed before the scripts are there is answered when they are, on the same page', async ({
  page,
}) => {
  const bring = await scriptsHeld(page)
  // The first press that is repeated comes while React hydrates the button: it is checked, and React receives
  // no event.
  await page.addInitScript(() => {
    const { click } = HTMLInputElement.prototype
    let unheard = false
    HTMLInputElement.prototype.click = function press() {
      if (unheard || this.type !== 'radio') return click.call(this)
      unheard = true
      this.checked = true
    }
  })
  await page.goto('/', { waitUntil: 'commit' })
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toBeVisible()
  await heading.evaluate((element) => element.setAttribute('data-first', ''))
  // As React does with what it has not hydrated.
  await page.locator('#root').evaluate((root) => {
    const stop = (event: Event) => event.stopPropagation()
    root.addEventListener('click', stop, true)
    document.addEventListener('live', () => root.removeEventListener('click', stop, true))
    let unheard = 3
    root.addEventListener('submit', (event) => unheard-- > 0 && event.stopPropagation(), true)
  })
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
  await page.getByText('How long does verification take?').click()
  await page.getByLabel('E-mail address').fill('reader@example.com')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await expect(page.getByLabel('E-mail address')).toHaveValue('reader@example.com')
  bring()
  await expect(page.locator('[data-toast]')).toContainText('Thank you!')
  await expect(page.getByLabel('E-mail address')).toHaveValue('')
  await expect(page.locator('html')).toHaveClass(/dark/)
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
  await expect(page.getByText('5-15 minutes')).toBeVisible()
  await expect(heading).toHaveAttribute('data-first', '')
  await expect(page.getByRole('button', { name: 'Subscribe' })).toBeInViewport()
})

/** What a customer's page shows before any script has run. */
async function outlineOf(page: Page, browser: Browser, path: string): Promise<Page> {
  const storageState = await page.context().storageState()
  const context = await browser.newContext({ javaScriptEnabled: false, storageState })
  const outline = await context.newPage()
  await outline.goto(path)
  await expect(outline.getByText('{{')).toHaveCount(0)
  return outline
}

test('the dashboard is there in outline before any script has run: a name, no figures, nothing to type', async ({
  page,
  browser,
}) => {
  await signUp(page)
  const outline = await outlineOf(page, browser, '/dashboard')
  await expect(outline.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  await expect(outline.getByText('Welcome, Casey')).toBeVisible()
  await expect(outline.locator('dd').first()).toBeHidden()
  await expect(outline.locator('main :is(input, select, button):enabled')).toHaveCount(0)
  await outline.context().close()
  await page.goto('/dashboard')
  await expect(page.getByLabel('Amount in USD')).toBeEnabled()
  await expect(page.locator('[data-outline]')).toHaveCount(0)
  await expect(page.locator('dd').first()).toBeVisible()
})

test('who scrolls the outline stays there when the page replaces it', async ({ page }) => {
  await signUp(page)
  await page.setViewportSize({ width: 390, height: 600 })
  const bring = await scriptsHeld(page)
  await page.goto('/buy', { waitUntil: 'commit' })
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  const place = () => page.evaluate(() => scrollY)
  expect(await place()).toBeGreaterThan(0)
  bring()
  await expect(page.locator('[data-outline]')).toHaveCount(0)
  expect(await place()).toBeGreaterThan(0)
})

test('so is the form to buy, which asks nobody to be verified who is', async ({ page, browser }) => {
  await signUp(page)
  const stranger = await outlineOf(page, browser, '/buy')
  await expect(stranger.getByRole('heading', { level: 1, name: 'Buy Crypto' })).toBeVisible()
  await expect(stranger.getByText('KYC Verification Required')).toBeVisible()
  await expect(stranger.getByRole('radio', { name: 'BTC' })).toBeDisabled()
  await stranger.context().close()
  await verifyIdentity(page)
  const known = await outlineOf(page, browser, '/buy')
  await expect(known.getByRole('heading', { level: 1, name: 'Buy Crypto' })).toBeVisible()
  await expect(known.getByText('KYC Verification Required')).toBeHidden()
  await known.context().close()
  await page.goto('/buy')
  await expect(page.getByRole('radio', { name: 'BTC' })).toBeEnabled()
  await expect(page.locator('[data-outline]')).toHaveCount(0)
})

test('the landing page says what is specified, and Learn More scrolls to the features', async ({ page }) => {
  await page.goto('/')
  for (const text of ['180+', '150+', '100M+', '1M+'])
    await expect(page.getByText(text, { exact: true }).first()).toBeVisible()
  for (const name of ['Simplicity', 'Security', 'Support'])
    await expect(page.getByRole('main').getByRole('heading', { name, exact: true })).toBeVisible()
  await expect(page.getByText('$25 free Bitcoin', { exact: false }).first()).toBeVisible()
  await shows('§2 landing: six questions', expect(page.locator('main details')).toHaveCount(6))
  await page.getByRole('link', { name: 'Learn More' }).click()
  await shows('§2 Learn More scrolls to #features', expect(page.locator('#features')).toBeInViewport())
})

test('public prices: four cards, four methods, fees, and what is missing is N/A', async ({ page }) => {
  await page.route('**/api/public/prices', async (route) => {
    const response = await route.fetch()
    const prices = await response.json()
    delete prices.cryptoPrices.USDC
    // spec.spec.ts enables it for its own time.
    for (const entry of prices.paymentMethods) if (entry.method === 'cash') entry.isEnabled = false
    await route.fulfill({ response, json: prices })
  })
  await page.goto('/pricing')
  await expect(page.getByText('Bitcoin (BTC)').locator('..')).toContainText('$')
  await expect(page.getByText('USD Coin (USDC)').locator('..')).toContainText('N/A')
  const methods = page.getByRole('listitem').filter({ hasText: 'Platform fee' })
  await shows('§2 pricing: four methods', expect(methods).toHaveCount(4))
  await expect(methods.filter({ hasText: 'Card' })).toContainText('3.5%')
  await expect(methods.filter({ hasText: 'Cash' })).toContainText('Disabled')
  await expect(page.getByText(/Prices update every 30 seconds/)).toBeVisible()
})

test('a system that turns dark before the scripts are there has the page follow', async ({ page }) => {
  const bring = await scriptsHeld(page)
  await page.goto('/pricing', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveClass(/dark/)
  bring()
  await page.getByTitle('Light', { exact: true }).click()
  await expect(page.locator('html')).not.toHaveClass(/dark/)
})

test('the theme is chosen, kept, and there before the first paint', async ({ page }) => {
  await page.goto('/pricing')
  await pick(page.getByRole('radio', { name: 'Dark' }))
  await expect(page.locator('html')).toHaveClass(/dark/)
  await page.reload({ waitUntil: 'commit' })
  await page.waitForFunction(() => document.body !== null)
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(true)
  await pick(page.getByRole('radio', { name: 'Light' }))
  await expect(page.locator('html')).not.toHaveClass(/dark/)
})

test('two tabs share one stream, and both follow', async ({ page, context }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page)
  const streams: string[] = []
  context.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams.push(request.url())
  })
  const second = await context.newPage()
  await second.goto(`/orders/${id}`)
  await expect(second.getByText('Payment Pending').first()).toBeVisible()
  await page.bringToFront()
  await page.getByRole('button', { name: 'Cancel order' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click()
  await expect(page.getByText('This order was cancelled').first()).toBeVisible()
  await expect(second.getByText('This order was cancelled').first()).toBeVisible()
  expect(streams.length).toBeLessThanOrEqual(1)
})

test('after a navigation the heading has the focus, and the title follows', async ({ page }) => {
  await signUp(page)
  await page.getByRole('link', { name: 'Wallet' }).first().click()
  const heading = page.getByRole('heading', { level: 1, name: 'Wallet' })
  await expect(heading).toBeFocused()
  await expect(page).toHaveTitle(/^Wallet · /)
})
