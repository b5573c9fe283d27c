import type { Page } from '@playwright/test'
import { asvs } from '../../src/lib/asvs.fixture'
import { signUp } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

const own = ['/orders', '/balance', '/gift-cards', '/vouchers', '/referral', '/settings', '/support']

function summaryOf(page: Page) {
  return page.locator('summary', { hasText: 'Account menu' }).first()
}

async function waysOf(page: Page): Promise<(string | null)[]> {
  const links = page.getByRole('navigation', { name: 'Account menu' }).getByRole('link')
  await expect(links.first()).toBeVisible()
  return links.evaluateAll((found) => found.map((link) => link.getAttribute('href')))
}

test('the menu under one’s name leads to everything that is one’s own, by keyboard, by pointer and on a phone', async ({
  page,
}) => {
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  await signUp(page)
  const menu = summaryOf(page)

  await test.step('by keyboard: opens, closes on Escape, and where the focus leaves it', async () => {
    await menu.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => waysOf(page)).toEqual(own)
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'My Orders' }).first()).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(menu).toBeFocused()
    await expect(page.getByRole('navigation', { name: 'Account menu' })).toBeHidden()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Shift+Tab')
    await expect(page.getByRole('navigation', { name: 'Account menu' })).toBeHidden()
  })

  await test.step('by pointer: a press elsewhere closes it, a way leads on and closes it', async () => {
    await menu.click()
    await page.getByRole('heading', { level: 1 }).click()
    await expect(page.getByRole('navigation', { name: 'Account menu' })).toBeHidden()
    await menu.click()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await expect(page).toHaveURL(/\/settings$/)
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeFocused()
    await expect(page.getByRole('navigation', { name: 'Account menu' })).toBeHidden()
  })

  await test.step('on a phone the menu holds the same, with the ways out', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByLabel('Menu', { exact: true }).click()
    await expect.poll(() => waysOf(page)).toEqual(own)
    await expect(page.getByRole('link', { name: 'Logout' }), asvs('7.4.4')).toBeInViewport({ ratio: 1 })
    await page.setViewportSize({ width: 320, height: 568 })
    await expect(page.getByRole('link', { name: 'Logout' })).toBeInViewport({ ratio: 1 })
    await page.getByRole('link', { name: 'Account balance' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Account balance' })).toBeVisible()
  })
  expect(scripts.filter((url) => url.includes('back-office'))).toEqual([])
})

test('the last entries of the back office’s menu are seen at 900 px, and reached in a lower window', async ({
  admin: { page },
}) => {
  const menu = page.getByRole('complementary').getByRole('navigation', { name: 'Back office' })
  const last = menu.getByRole('link').last()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/admin')
  await expect(last).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1280, height: 600 })
  await expect(last).not.toBeInViewport()
  await last.focus()
  await expect(last).toBeInViewport({ ratio: 1 })
})

test('staff find their queues in it, on the site and in the back office', async ({ admin }) => {
  const { page } = admin
  const queues = [
    'payments',
    'orders',
    'gift-cards',
    'payouts',
    'vouchers',
    'kyc',
    'referrals',
    'support',
    'security',
  ].map((queue) => `/admin/${queue}`)
  await page.goto('/')
  await summaryOf(page).click()
  await expect.poll(() => waysOf(page)).toEqual([...own, ...queues])
  await page.goto('/admin')
  await page.setViewportSize({ width: 390, height: 800 })
  await summaryOf(page).click()
  await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Account menu' }).getByRole('link', { name: 'Settings' }).click()
  await expect(page).toHaveURL(/\/settings$/)
})
