import type { Page } from '@playwright/test'
import { expectNoViolation } from '../fixtures/accessible'
import { placeOrder } from '../fixtures/buying'
import { isLive, newStaff, verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

const looks = [
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 390 },
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
] as const

/** Opens the search by its keys and types; the keyboard is all that is used. */
async function seek(page: Page, typed: string): Promise<void> {
  await isLive(page)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: 'Search the back office' })).toBeFocused()
  await page.keyboard.type(typed)
}

function option(page: Page, name: string) {
  return page.getByRole('dialog').getByRole('option', { name })
}

test('staff find anything with Ctrl-K: a customer by e-mail, an order by reference, a page by name', async ({
  page,
  admin,
}) => {
  const email = await verifiedCustomer(page)
  const id = await placeOrder(page, { method: 'Zelle' })
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()
  const staff = admin.page
  await staff.goto('/admin/payments')
  await expect(staff.getByRole('heading', { level: 1 })).toBeVisible()

  await test.step('a customer by e-mail, with what they did', async () => {
    await seek(staff, email)
    await expect(option(staff, email)).toHaveAttribute('aria-selected', 'true')
    await expect(option(staff, reference)).toBeVisible()
    await staff.keyboard.press('Enter')
    await expect(staff).toHaveURL(/\/admin\/customers\/[0-9a-f-]{36}$/)
    await expect(staff.getByRole('dialog')).toHaveCount(0)
    await expect(staff.getByText(email).first()).toBeVisible()
  })

  await test.step('an order by reference', async () => {
    await seek(staff, reference)
    await expect(option(staff, reference)).toHaveAttribute('aria-selected', 'true')
    await staff.keyboard.press('Enter')
    await expect(staff).toHaveURL(new RegExp(`/admin/orders/${id}$`))
  })

  await test.step('a page by name, chosen by the arrow keys; Escape leaves everything as it was', async () => {
    await seek(staff, 'pay')
    await expect(option(staff, 'Pending Payments')).toHaveAttribute('aria-selected', 'true')
    await staff.keyboard.press('ArrowDown')
    await expect(option(staff, 'Payouts').first()).toHaveAttribute('aria-selected', 'true')
    await staff.keyboard.press('Escape')
    await expect(staff.getByRole('dialog')).toHaveCount(0)
    await expect(staff).toHaveURL(new RegExp(`/admin/orders/${id}$`))
    await seek(staff, 'kill')
    await staff.keyboard.press('Enter')
    await expect(staff.getByRole('heading', { level: 1, name: 'Kill switches' })).toBeVisible()
  })

  await test.step('nothing found, and a lost call, are said', async () => {
    await seek(staff, 'nobody is called so')
    await expect(staff.getByText('No results')).toBeVisible()
    await staff.keyboard.press('Escape')
    await staff.route('**/api/admin/search**', (route) => route.abort())
    await seek(staff, email)
    await expect(staff.getByText('Search failed')).toBeVisible()
    await staff.unroute('**/api/admin/search**')
    await staff.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
    await expect(option(staff, email)).toBeVisible()
    await staff.keyboard.press('Escape')
  })

  await test.step('in every look, by its button, without a violation', async () => {
    for (const { theme, width } of looks) {
      await staff.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await staff.setViewportSize({ width, height: 900 })
      await staff.getByRole('button', { name: 'Find anything' }).click()
      await staff.keyboard.type(reference)
      await expect(option(staff, reference)).toBeVisible()
      await expectNoViolation(staff, `${theme} ${width}`)
      await staff.keyboard.press('Escape')
      await expect(staff.getByRole('button', { name: 'Find anything' })).toBeFocused()
    }
  })
})

test('a role is led only where it may go, by the groups of the sidebar, on a phone and by the search', async ({
  page,
}) => {
  await newStaff(page, 'compliance')
  await page.goto('/admin')
  const ways = page.getByRole('navigation', { name: 'Back office' }).getByRole('link')
  await expect(ways.filter({ hasText: 'Audit' })).toBeVisible()
  await expect(ways.filter({ hasText: /^(Ledger|2FA resets)$/ })).toHaveCount(0)
  await seek(page, 'ledger')
  await expect(page.getByText('No results')).toBeVisible()
  await page.keyboard.press('Escape')

  await page.setViewportSize({ width: 390, height: 800 })
  await expect(ways.first()).toBeHidden()
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await expect(ways.filter({ hasText: /^(Ledger|2FA resets)$/ })).toHaveCount(0)
  await expectNoViolation(page)
  await ways.filter({ hasText: 'Customers' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Customers' })).toBeVisible()
  await expect(ways.first()).toBeHidden()
})
