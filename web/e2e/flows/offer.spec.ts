import type { Page } from '@playwright/test'
import { test } from '../fixtures/crowd'
import { verifiedCustomer } from '../fixtures/people'
import { appRoutes, settled } from '../fixtures/routes'
import { expect } from '../fixtures/test'

/** What an installation that sells bitcoin for wires does not offer. */
const coins = /\b(ETH|USDT|USDC|Ethereum|Tether|USD Coin|Tron|[ET]RC-20)\b/
const rails = /\b(PayPal|Zelle|Chime|Revolut|ACH|Visa|Mastercard)\b/i

/** Where staff see what was sold before: the methods of all payments, the coins that are left in wallets. */
const past = ['/admin', '/admin/dashboard', '/admin/payments', '/admin/treasury', '/admin/ledger']

/**
 * All text of a page, that of closed menus and choices too; the rows of lists and of histories are past
 * sales.
 */
const wordsOf = (page: Page) =>
  page.locator('body').evaluate((body) => {
    const all = body.cloneNode(true) as HTMLElement
    for (const other of all.querySelectorAll('[data-row], [data-past], script, style')) other.remove()
    return all.textContent ?? ''
  })

async function showsOnly(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await settled(page)
  await page.waitForLoadState('networkidle')
  await test.step(url, async () => {
    const described = await page
      .locator('meta[name="description"], meta[property="og:description"]')
      .evaluateAll((tags) => tags.map((tag) => (tag as HTMLMetaElement).content).join(' '))
    const words = `${described} ${await wordsOf(page)}`
    expect.soft(words.match(coins)?.[0], `${url} names a coin that is not offered`).toBeUndefined()
    expect.soft(words.match(rails)?.[0], `${url} names a rail that is not offered`).toBeUndefined()
  })
}

test('an offer of bitcoin and wires: no page shows more', async ({ page, browser, staff, siteWith }) => {
  const site = await siteWith({ ASSETS: 'BTC', RAILS: 'domestic_wire,wire' })
  const visitor = await browser.newContext()
  const public_ = await visitor.newPage()
  for (const path of ['/', '/pricing', '/about', '/referral']) await showsOnly(public_, `${site}${path}`)
  await visitor.close()

  await verifiedCustomer(page)
  for (const path of ['/', '/buy', '/orders', '/wallet', '/transactions', '/support'])
    await showsOnly(page, `${site}${path}`)

  const lists = appRoutes().filter(
    (path) => path.startsWith('/admin') && !path.includes('$') && !past.includes(path),
  )
  for (const path of lists) await showsOnly(staff.page, `${site}${path}`)
})
