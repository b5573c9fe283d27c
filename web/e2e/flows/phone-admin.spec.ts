import { adminOrders } from '../../src/messages/admin'
import { queue } from '../../src/messages/admin-queue'
import { test } from '../fixtures/crowd'
import { order } from '../fixtures/orders'
import { expect } from '../fixtures/test'

test('on a phone the rows of a list come before its filters', async ({ customer, staff: { page } }) => {
  await order(customer, 'zelle')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/admin/orders?status=all')
  await expect(page.getByRole('article').first()).toBeInViewport()
  const search = page.getByLabel(adminOrders.search, { exact: true })
  await expect(search).toBeHidden()

  const fold = page.getByRole('button', { name: queue.filters(0), exact: true })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await fold.click()
  await page.getByRole('button', { name: adminOrders.attention }).click()
  await search.fill('TP-')
  await expect(page).toHaveURL(/q=TP-/)
  const set = page.getByRole('button', { name: queue.filters(2), exact: true })
  await expect(set).toHaveAttribute('aria-expanded', 'true')
  await set.click()
  await expect(search).toBeHidden()

  await test.step('where there is room they stand open, as high as every field', async () => {
    for (const path of ['/admin/orders', '/admin/payments', '/admin/transactions', '/admin/customers']) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.goto(path)
      const fields = page.getByRole('search').locator('input, select')
      await expect(fields.first()).toBeVisible()
      for (const field of await fields.all()) expect((await field.boundingBox())?.height, path).toBe(40)
    }
  })
})
