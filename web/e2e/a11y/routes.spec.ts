import type { Page, Route } from '@playwright/test'
import { expectNoViolation, wear } from '../fixtures/accessible'
import { cutTexts, spaceText } from '../fixtures/cut'
import { expectFits } from '../fixtures/fits'
import {
  appRoutes,
  customerPaths,
  filled,
  listedRoutes,
  type PageState,
  pageState,
  settled,
  staffPaths,
  visitorPaths,
} from '../fixtures/routes'
import { siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

const looks = [
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 390 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 1280 },
] as const

/** A window of 1280 px at 200 % and at 400 %; and, where texts set apart need the most room, at 400 % and whole. */
const zoomed = [
  { width: 640, height: 450 },
  { width: 320, height: 256 },
]
const spaced = [
  { width: 320, height: 256 },
  { width: 1280, height: 900 },
]

/** Every screen, loaded once: accessible in each theme and width, and with nothing lost when it is enlarged. */
async function inspect(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: looks[0].width, height: 900 })
  await page.goto(path)
  await settled(page)
  await look(page, path)
  await enlarge(page, path)
}

/** In each theme and width: no axe violation, one h1, nothing wider than the window. */
async function look(page: Page, path: string): Promise<void> {
  let seen = 0
  for (const { theme, width } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await wear(page, theme)
    await expectNoViolation(page, `${path} ${theme} ${width}`, width === seen ? 'colours' : 'all')
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expectFits(page, `${path} ${theme} ${width}`)
    seen = width
  }
}

/** WCAG 1.4.4, 1.4.10, 1.4.12: enlarged, and with its text set apart, a page loses nothing and never scrolls sideways. */
async function enlarge(page: Page, path: string): Promise<void> {
  const whole = async (where: string, mayScroll = false) => {
    if (!mayScroll) await expectFits(page, where)
    await expect.poll(() => cutTexts(page), `${where} cuts texts off`).toEqual([])
  }
  for (const zoom of zoomed) {
    await page.setViewportSize(zoom)
    await whole(`${path} at ${zoom.width} px`)
  }
  await spaceText(page)
  for (const zoom of spaced) {
    await page.setViewportSize(zoom)
    // The dense rows of the back office are tables, which WCAG lets scroll; they lose nothing.
    const dense = path.startsWith('/admin') && zoom.width >= 1024
    await whole(`${path} at ${zoom.width} px, set apart`, dense)
  }
}

/** Answers with an order whose every step came just less than an hour after the one before. */
async function hourly(route: Route): Promise<void> {
  const response = await route.fetch()
  const order = await response.json()
  const begun = Date.parse(order.events?.[0]?.at)
  order.events?.forEach((event: { at: string }, index: number) => {
    event.at = new Date(begun + index * 3_599_000).toISOString()
  })
  await route.fulfill({ response, json: order })
}

test('every route of the app is looked at', () => {
  expect(appRoutes().length).toBeGreaterThan(60)
  expect(listedRoutes()).toEqual(appRoutes())
})

for (const path of visitorPaths) {
  test(`a visitor's ${path}`, async ({ page }) => {
    await inspect(page, path)
  })
}

test.describe('signed in', () => {
  let state: PageState
  test.beforeAll(async ({ browser }) => {
    state = await pageState(browser)
  })

  for (const path of customerPaths) {
    test(`a customer's ${path}`, async ({ page, context }) => {
      await context.addCookies(state.customer)
      await inspect(page, filled(path, state))
    })
  }

  test('all of it in Spanish, 320 px wide', async ({ browser }) => {
    const context = await browser.newContext({ locale: 'es-MX', viewport: { width: 320, height: 700 } })
    const page = await context.newPage()
    const read = async (path: string) => {
      await page.goto(path)
      await expect(page.locator('html')).toHaveAttribute('lang', 'es')
      await settled(page)
      await expectFits(page, `${path} in Spanish`)
      await expectNoViolation(page, `${path} in Spanish`, 'all but colours')
    }
    for (const path of visitorPaths) await read(path)
    await context.addCookies(state.customer)
    await context.addCookies([{ name: 'lang', value: 'es', url: siteUrl }])
    for (const path of customerPaths) await read(filled(path, state))
    await context.close()
  })

  for (const path of staffPaths) {
    test(`an admin's ${path}`, async ({ page, context }) => {
      await context.addCookies(state.admin)
      if (path === '/admin/orders/{order}') await page.route('**/api/admin/orders/*', hourly)
      await inspect(page, filled(path, state))
    })
  }

  test('the open dialogs and the mobile menu', async ({ page, context }) => {
    await context.addCookies(state.admin)
    for (const { theme, width } of looks) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/admin/payments')
      await page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectNoViolation(page)
      await page.keyboard.press('Escape')
      // The list is still updated: the row that opened it need not be the first any more.
      await expect(page.locator('button:focus')).toHaveAccessibleName(/^Details/)
    }
    await page.setViewportSize({ width: 390, height: 900 })
    await page.goto('/orders')
    await page.getByLabel('Menu', { exact: true }).click()
    await expect(page.getByRole('link', { name: 'Wallet' }).first()).toBeVisible()
    await expectNoViolation(page)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/orders')
    await page.locator('summary', { hasText: 'Account menu' }).click()
    await expect(page.getByRole('link', { name: 'Settings', exact: true })).toBeVisible()
    await expectNoViolation(page)
  })
})
