import type { Page, Route } from '@playwright/test'
import { addresses, buyButton, fillPurchase, placeOrder } from '../fixtures/buying'
import { loseFirstAnswer } from '../fixtures/lose'
import { newEmail, password, signOut, signUp, verifiedCustomer } from '../fixtures/people'
import { toldInPassing } from '../fixtures/said'
import { identityUrl, sandboxUrl, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

const loggedOut = 'You are logged out. Logging in again...'
const banner = (page: Page) => page.getByText('We can’t reach the server.', { exact: false })

/** Takes the session away, as the server does when it has ended. */
async function loseSession(page: Page): Promise<void> {
  const ours = (await page.context().cookies(siteUrl)).find(({ name }) => /session/.test(name))
  await page.context().clearCookies({ name: ours?.name ?? 'session', domain: ours?.domain ?? '' })
}

/** The identity provider may still have a session of this person; else it asks. */
async function signInAgain(page: Page, email: string): Promise<void> {
  const form = page.getByLabel('E-mail')
  await expect(form.or(page.getByRole('heading', { level: 1 })).first()).toBeVisible()
  if (page.url().startsWith(identityUrl)) {
    await form.fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.waitForURL(`${siteUrl}/**`)
}

/** Nothing answers until the answer is called. */
async function serverGone(page: Page): Promise<() => Promise<void>> {
  const abort = (route: Route) => route.abort('connectionrefused')
  await page.route('**/api/**', abort)
  return () => page.unroute('**/api/**', abort)
}

test('a session lost in the middle of a form: what was typed is back after signing in, secrets are not', async ({
  page,
}) => {
  const email = await signUp(page)
  const card = page.locator('#gift-cards')
  await card.locator('#gift-card-value').fill('120')
  await card.locator('#gift-card-brand').selectOption({ index: 1 })
  await card.locator('#gift-card-cardCode').fill('6011222233334444')
  const left = page.waitForRequest(/\/api\/login/)
  const refused = page.waitForResponse((response) => response.status() === 401)
  const told = toldInPassing(page, loggedOut)
  await loseSession(page)
  await page.locator('#ticket-message').fill('Half a sentence about')
  await page.locator('#ticket-subject').selectOption({ index: 1 })
  await page.locator('#support').getByRole('button', { name: 'Send', exact: true }).click()
  await refused
  await told
  await left
  await signInAgain(page, email)

  await expect(page.locator('#ticket-message')).toHaveValue('Half a sentence about')
  await expect(page.locator('#ticket-subject')).not.toHaveValue('')
  await expect(card.locator('#gift-card-value')).toHaveValue('120')
  await expect(card.locator('#gift-card-cardCode')).toHaveValue('')
  await expect(card.getByText('except codes and account numbers')).toBeVisible()
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
  expect(stored).toContain('Half a sentence')
  expect(stored).not.toContain('6011222233334444')

  await test.step('signing out leaves nothing to the next person in this tab', async () => {
    await signOut(page)
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('Half a sentence')
  })
})

test('the server is gone: the page says so and keeps what it shows, a message keeps its text and key, and all comes back by itself', async ({
  page,
}) => {
  await signUp(page)
  await page.goto('/support')
  await expect(page.getByText('No tickets yet').or(page.getByRole('list').first()).first()).toBeVisible()
  const keys: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/support/tickets'))
      keys.push(request.headers()['idempotency-key'] ?? '')
  })
  await page.locator('#ticket-message').fill('Is anybody there?')
  await page.locator('#ticket-subject').selectOption({ index: 1 })
  await page.route('**/api/support/tickets', (route) =>
    route.request().method() === 'POST' ? route.abort('connectionrefused') : route.fallback(),
  )
  const submit = page.getByRole('button', { name: 'Send', exact: true })
  await submit.click()
  await expect(page.getByRole('alert').filter({ hasText: 'Not sent' })).toContainText(
    'What you entered is still here',
  )
  await expect(page.locator('#ticket-message')).toHaveValue('Is anybody there?')

  const back = await serverGone(page)
  await submit.click()
  await expect(banner(page)).toBeVisible()
  await expect(banner(page)).toContainText('Last updated at')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await back()
  await page.unroute('**/api/support/tickets')
  await expect(banner(page)).toHaveCount(0)
  await submit.click()
  await expect(page.getByText('Is anybody there?').first()).toBeVisible()
  await expect
    .poll(async () => (await (await page.request.get('/api/support/tickets')).json()).length)
    .toBe(1)
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
})

test('a browser without a network says so, does not ask for nothing, and reads anew when it is back', async ({
  page,
  context,
}) => {
  await signUp(page)
  await page.goto('/orders')
  await expect(page.getByText('No orders yet')).toBeVisible()
  await context.setOffline(true)
  await expect(banner(page)).toBeVisible()
  await expect(page.getByText('No orders yet')).toBeVisible()

  await test.step('a page whose part is not loaded yet says so, and is there when the network is', async () => {
    await page.getByRole('link', { name: 'Wallet' }).first().click()
    await expect(page).toHaveURL(/wallet/)
  })
  await context.setOffline(false)
  await expect(banner(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1, name: 'Wallet' })).toBeVisible()
})

test('signing out in one tab signs out the other, and somebody else signing in does not mix', async ({
  page,
  context,
}) => {
  await signUp(page)
  const other = await context.newPage()
  await other.goto('/orders')
  await expect(other.getByText('No orders yet')).toBeVisible()

  const refused = other.waitForResponse((response) => response.status() === 401)
  const told = toldInPassing(other, loggedOut)
  await signOut(page)
  await refused
  await told
  await expect(other.getByText('No orders yet')).toBeHidden()
  await other.waitForURL(`${identityUrl}/**`)

  await test.step('another account in the first tab: the second becomes its, and sends nothing of before', async () => {
    const second = newEmail()
    await signUp(page, second)
    await other.goto(`${siteUrl}/support`)
    await other.locator('#ticket-message').fill('From the second person')
    await signOut(page)
    const third = newEmail()
    await signUp(page, third)
    await expect(other.getByText('From the second person')).toBeHidden()
    const tickets = await (await page.request.get('/api/support/tickets')).json()
    expect(tickets).toHaveLength(0)
  })
})

test('a page out of the memory of the browser shows nothing private before the server has said whose it is', async ({
  page,
}) => {
  await signUp(page)
  await page.goto('/settings/profile')
  await expect(page.locator('#first-name')).toBeVisible()
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await expect(page.locator('#first-name')).toBeVisible()
  await loseSession(page)
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await expect(page.locator('#first-name')).toBeHidden()
  await page.waitForRequest(/\/api\/login/)
})

test('back after paying, or the same once more: the order that exists is shown, and a second is made only by name', async ({
  page,
}) => {
  await verifiedCustomer(page)
  const first = await placeOrder(page)
  await page.getByRole('link', { name: /^Pay now/ }).click()
  await page.waitForURL(`${sandboxUrl}/pay/**`)
  await page.goBack()
  await expect(page).toHaveURL(new RegExp(`/orders/${first}`))
  await expect(page.getByRole('link', { name: /^Pay now/ })).toBeVisible()

  await fillPurchase(page)
  await buyButton(page).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('You already have an order for this')).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^Confirm and pay/ })).toHaveCount(0)
  await dialog.getByRole('link', { name: 'See that order' }).click()
  await expect(page).toHaveURL(new RegExp(`/orders/${first}`))
  expect(await (await page.request.get('/api/orders')).json()).toHaveLength(1)

  await fillPurchase(page)
  await buyButton(page).click()
  await dialog.getByRole('button', { name: /^Place another order for / }).click()
  await expect(page).not.toHaveURL(/\/buy/)
  expect(await (await page.request.get('/api/orders')).json()).toHaveLength(2)
})

test('an order without an answer is asked about under its own key, also after a reload, and made once', async ({
  page,
}) => {
  await verifiedCustomer(page)
  await fillPurchase(page)
  await buyButton(page).click()
  const keys = await loseFirstAnswer(page, '**/api/orders')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Confirm and pay/ }).click()
  await expect(dialog.getByRole('alert')).toContainText('We don’t know if this went through')
  await page.reload()
  await expect(page.getByLabel('Wallet address')).toHaveValue(addresses.bitcoin)
  await expect(page.getByText(/^Price held for/)).toBeVisible()
  await buyButton(page).click()
  await expect(dialog.getByText('You already have an order for this')).toBeVisible()
  await dialog.getByRole('button', { name: /^Confirm and pay/ }).click()
  await page.waitForURL(`${siteUrl}/orders/*`)
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
  expect(await (await page.request.get('/api/orders')).json()).toHaveLength(1)
})

test('a deploy: a chunk that is gone loads the page anew once and no more, and drafts are kept', async ({
  page,
}) => {
  await signUp(page)
  await page.goto('/support')
  await page.locator('#ticket-message').fill('Kept over a deploy')
  // A release that lacks the chunk of the next page.
  let gone = ''
  await page.route('**/assets/c*.js', (route) => {
    gone ||= route.request().url()
    return route.request().url() === gone ? route.fulfill({ status: 404, body: '' }) : route.fallback()
  })
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1
  })
  await page.getByRole('link', { name: 'Wallet' }).first().click()
  await expect.poll(() => loads).toBe(1)
  await expect(page.getByText('couldn’t load this part')).toBeVisible()
  await page.unroute('**/assets/c*.js')
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Wallet' })).toBeVisible()
  await page.goto('/support')
  await expect(page.locator('#ticket-message')).toHaveValue('Kept over a deploy')
})

test('a tab that stays open learns of a newer release, and loads it only when it is told to', async ({
  page,
}) => {
  await signUp(page)
  await page.goto('/orders')
  await expect(page.getByText('No orders yet')).toBeVisible()
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1
  })
  await page.route('**/api/orders*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'x-release': 'another00000' } })
  })
  await expect(page.getByText('A new version of this site is available.')).toBeVisible()
  expect(loads).toBe(0)
  await page.unroute('**/api/orders*')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByText('No orders yet')).toBeVisible()
  await expect(page.getByText('A new version of this site is available.')).toHaveCount(0)
  expect(loads).toBe(1)
})

test('a slow answer: a word after ten seconds, and the answer when it comes', async ({ page }) => {
  await signUp(page)
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/orders', async (route) => {
    await held
    await route.fallback()
  })
  await page.goto('/orders')
  await expect(page.getByText('This is taking longer than usual')).toBeVisible()
  answer()
  await expect(page.getByText('No orders yet')).toBeVisible()
})
