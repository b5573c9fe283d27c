import { randomUUID } from 'node:crypto'
import { asvs } from '../../src/lib/asvs.fixture'
import { shows } from '../fixtures/expect'
import { enter, signIn, signOut, signUp } from '../fixtures/people'
import { customerPaths as pages, staffPaths } from '../fixtures/routes'
import { toldInPassing } from '../fixtures/said'
import { identityUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

const customerPaths = ['/buy', '/orders', '/wallet', '/transactions', '/kyc', '/dashboard', '/orders/none']
const adminPaths = ['/admin', '/admin/customers', '/admin/dashboard', '/admin/payments', '/admin/orders']
const publicPaths = ['/', '/pricing', '/about', '/terms', '/privacy', '/referral', '/open', '/test']

test.describe('a visitor', () => {
  test('sees the 404 page at every address that is not theirs, with the way to sign in', async ({ page }) => {
    for (const path of [...customerPaths, ...adminPaths, '/nowhere']) {
      const response = await page.goto(path)
      expect(response?.status(), path).toBe(404)
      await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('404 Page Not Found')
      const link = page.getByRole('main').getByRole('link', { name: 'Sign In' })
      await expect(link, path).toBeInViewport()
      expect(await link.getAttribute('href'), path).toContain('/api/login')
      await expect(page.getByText('Sign in to open this page'), path).toBeVisible()
    }
  })

  test('comes by a footer link to the sign-in that names what waits', async ({ page }) => {
    await page.goto('/pricing')
    const link = page.getByRole('contentinfo').getByRole('link', { name: 'Wallet' })
    await expect(link).toHaveAttribute('href', '/wallet')
    await link.click() // before React has hydrated it, or after
    await page.waitForURL('**/open?to=*')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to see your wallet')
    const signIn = page.getByRole('main').getByRole('link', { name: 'Sign In' })
    await expect(signIn).toHaveAttribute('href', '/api/login?returnTo=%2Fwallet')
  })

  test('comes there without any script, too; a typed path is a 404 page', async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    for (const [name, to] of [
      ['Buy Crypto', '/buy'],
      ['Wallet', '/wallet'],
      ['Transactions', '/transactions'],
      ['Verification', '/kyc'],
      ['Dashboard', '/dashboard'],
    ] as const) {
      await page.goto('/pricing')
      const link = page.getByRole('contentinfo').getByRole('link', { name })
      await expect(link).toHaveAttribute('href', to)
      const opened = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/open')
      await link.click()
      expect((await opened).status(), to).toBe(200)
      await expect(page).toHaveURL(`/open?to=${encodeURIComponent(to)}`)
      expect((await page.goto(to))?.status(), to).toBe(404)
    }
    await context.close()
  })

  test('reads every public page', async ({ page }) => {
    for (const path of publicPaths) {
      const response = await page.goto(path)
      expect(response?.status(), path).toBe(200)
      await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
      await expect(page.getByText('404 Page Not Found'), path).toHaveCount(0)
    }
  })

  test('comes back to the page they wanted after signing in', async ({ page }) => {
    await page.goto('/transactions?crypto=BTC')
    await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click()
    await page.waitForURL(`${identityUrl}/**`)
    await page.getByLabel('E-mail').fill('casey@example.com')
    await page.getByLabel('Password', { exact: true }).fill('tradepost-demo-1')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/transactions?crypto=BTC')
    await expect(page.getByRole('heading', { level: 1, name: 'Transactions' })).toBeVisible()
    await expect(page.getByLabel('Crypto')).toHaveValue('BTC')
  })

  test('is told on /referral that sign-in is required', async ({ page }) => {
    await page.goto('/referral')
    await expect(page.getByText('Sign In Required')).toBeVisible()
    await expect(page.getByRole('main').getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/')
  })

  test('sees their state on /test', async ({ page }) => {
    await page.goto('/test')
    await shows(
      '§2 /test shows the login state',
      expect(page.getByText('Signed in').locator('..')).toContainText('no'),
    )
  })
})

// Without the router: the page's data does not exist, or belongs to another person.
for (const [who, paths] of [
  ['customer', pages],
  ['staff', staffPaths],
] as const)
  test(`the pages of ${who} say that what an unknown id names is not there`, async ({ page }) => {
    await enter(page, who === 'staff' ? 'alice@example.com' : 'casey@example.com')
    for (const path of paths.filter((each) => each.includes('{'))) {
      await page.goto(path.replace(/\{\w+\}/, randomUUID()))
      await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('404 Page Not Found')
      await expect(
        page.getByRole('main').getByRole('link', { name: 'Go to the home page' }),
        path,
      ).toBeVisible()
    }
  })

test.describe('a customer', () => {
  test('sees the 404 page at every address of staff', async ({ page }) => {
    await enter(page, 'casey@example.com')
    for (const path of adminPaths) {
      const response = await page.goto(path)
      expect(response?.status(), path).toBe(404)
      await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('404 Page Not Found')
    }
  })

  test('sees no flash of 404 on a reload of /buy', async ({ page }) => {
    await signIn(page, 'casey@example.com')
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (document.body?.innerText.includes('404 Page Not Found'))
          document.documentElement.dataset.flashed = 'yes'
      }).observe(document, { childList: true, subtree: true, characterData: true })
    })
    await page.goto('/buy')
    await expect(page.getByRole('heading', { level: 1, name: 'Buy Crypto' })).toBeVisible()
    expect(await page.locator('html').getAttribute('data-flashed')).toBeNull()
  })

  test('whose session ends in the app gets the toast, and the login after 500 ms', async ({
    page,
    context,
  }) => {
    await signUp(page)
    // A page without requests of its own once the title's count is loaded: the click is what is refused.
    const counted = page.waitForResponse(
      (answer) =>
        answer.url().includes('action=true') &&
        answer.request().headers().referer?.endsWith('/about') === true,
    )
    await page.goto('/about')
    await counted
    const session = (await context.cookies()).find(
      (cookie) => /session/.test(cookie.name) && !cookie.domain.startsWith('127'),
    )
    await context.clearCookies({ name: session?.name ?? '' })
    const left = page.waitForRequest(/\/api\/login\?returnTo=/)
    const refused = page.waitForResponse((response) => response.status() === 401)
    const told = toldInPassing(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await page.getByRole('link', { name: 'Wallet' }).first().click()
    const answer = await refused
    await told
    const login = await left
    expect(decodeURIComponent(login.url())).toContain('returnTo=/wallet')
    await login.response() // the browser has its times from then on
    const { startTime, responseStart } = answer.request().timing()
    await shows('§2 logged out: the login after 500 ms', () =>
      expect(login.timing().startTime - (startTime + responseStart)).toBeGreaterThanOrEqual(490),
    )
  })

  test('logs out, and is a visitor again', async ({ page }) => {
    await signUp(page)
    await signOut(page)
    await shows('§2 logging out ends at /', expect(page).toHaveURL('/'))
    expect((await page.request.get('/api/auth/user')).status()).toBe(401)
  })
})

test('nothing can be added to what every object inherits', async ({ page }) => {
  await page.goto('/')
  await expect.poll(() => page.evaluate(() => Object.isExtensible(Object.prototype))).toBe(false)
  const found = await page.evaluate(() => {
    const data = JSON.parse('{"__proto__":{"isAdmin":true}}')
    const merged: Record<string, unknown> = {}
    try {
      for (const [key, value] of Object.entries(data)) Object.assign(merged[key] as object, value)
    } catch {
      // refused, which is as good
    }
    return 'isAdmin' in {}
  })
  expect(found, asvs('15.3.6')).toBe(false)
})
