import { adminAudit } from '../../src/messages/admin-books'
import { adminOrders } from '../../src/messages/admin-order'
import { adminPayments } from '../../src/messages/admin-payments'
import { adminPricing } from '../../src/messages/admin-pricing'
import { queue } from '../../src/messages/admin-queue'
import { adminTreasury } from '../../src/messages/admin-treasury'
import { methodLabels } from '../../src/messages/common'
import { test } from '../fixtures/crowd'
import { sellGiftCard } from '../fixtures/gift-cards'
import { order } from '../fixtures/orders'
import { expect } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'

test('on a phone the rows of a list come before its filters', async ({ customer, staff: { page } }) => {
  await order(customer, 'zelle')
  await sellGiftCard(customer.page, { value: '50' })
  await openTicket(customer.page, 'Where is my order?')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/admin/orders?status=all')
  await expect(page.getByRole('article').first()).toBeInViewport()
  const search = page.getByLabel(adminOrders.search, { exact: true })
  const attention = page.getByRole('button', { name: adminOrders.attention })
  await expect(attention).toBeHidden()

  const fold = page.getByRole('button', { name: queue.filters(0), exact: true })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  const [field, button] = [await search.boundingBox(), await fold.boundingBox()]
  expect(field?.y, 'search and filters are one line').toBe(button?.y)
  await fold.click()
  await attention.click()
  await search.fill('TP-')
  await expect(page).toHaveURL(/q=TP-/)
  const set = page.getByRole('button', { name: queue.filters(1), exact: true })
  await expect(set).toHaveAttribute('aria-expanded', 'true')
  await set.click()
  await expect(attention).toBeHidden()

  await test.step('every list begins in the first half of the screen', async () => {
    for (const path of [
      '/admin/orders?status=all',
      '/admin/payments?status=all',
      '/admin/customers',
      '/admin/transactions',
      '/admin/audit',
      '/admin/team',
    ]) {
      await page.goto(path)
      const row = page.locator('[data-row]').first()
      await expect(row).toBeVisible()
      expect((await row.boundingBox())?.y, path).toBeLessThan(430)
    }
  })

  await test.step('a row is two or three lines', async () => {
    for (const path of [
      '/admin/orders?status=all',
      '/admin/payments?status=all',
      '/admin/customers',
      '/admin/transactions',
      '/admin/audit',
      '/admin/kyc?standing=all',
      '/admin/support?status=all',
      '/admin/gift-cards?status=all',
    ]) {
      await page.goto(path)
      const rows = page.locator('[data-row]')
      await expect(rows.first()).toBeVisible()
      for (const row of (await rows.all()).slice(0, 10)) {
        const text = await row.innerText()
        // A name of sixty letters takes the lines that it needs (length.spec).
        if (/\S{40}/.test(text)) continue
        expect((await row.boundingBox())?.height, `${path}: ${text}`).toBeLessThan(130)
      }
    }
  })

  await test.step('the audit log is in words', async () => {
    await page.goto('/admin/audit')
    const rows = page.getByRole('list', { name: adminAudit.title })
    await expect(rows.locator('[data-row]').first()).toBeVisible()
    expect(await rows.innerText()).not.toMatch(/[a-z]_[a-z]/)
  })

  await test.step('a row is decided by the thumb', async () => {
    await page.goto('/admin/payments?status=waiting')
    const confirm = page.getByRole('button', { name: adminPayments.confirmReceipt }).first()
    await expect(confirm).toBeVisible()
    expect((await confirm.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await page
      .getByRole('button', { name: /^More actions/ })
      .first()
      .click()
    await expect(page.getByRole('menuitem', { name: adminPayments.reject })).toBeVisible()
  })

  await test.step('pricing and treasury are folded into sections', async () => {
    await page.goto('/admin/pricing')
    const wire = page.getByRole('region', { name: methodLabels.domestic_wire })
    const margin = wire.getByLabel(adminPricing.fields.baseMarginPercent ?? '')
    await expect(wire).toBeVisible()
    await expect(margin).toBeHidden()
    await wire.getByRole('button', { name: methodLabels.domestic_wire ?? '', expanded: false }).click()
    await expect(margin).toBeVisible()
    await page.goto('/admin/treasury')
    const moves = page.getByRole('button', { name: adminTreasury.moves, exact: true })
    await expect(moves).toHaveAttribute('aria-expanded', 'false')
    await moves.click()
    await expect(page.getByLabel(adminTreasury.status, { exact: true })).toBeVisible()
  })

  await test.step('where there is room they stand open, as high as every field', async () => {
    for (const path of ['/admin/orders', '/admin/payments', '/admin/transactions', '/admin/customers']) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.goto(path)
      const fields = page.getByRole('search').locator('input:visible, select:visible')
      await expect(fields.first()).toBeVisible()
      for (const field of await fields.all()) expect((await field.boundingBox())?.height, path).toBe(40)
    }
    for (const path of ['/admin/payments', '/admin/payouts', '/admin/gift-cards', '/admin/kyc']) {
      await page.goto(path)
      const views = page.getByTitle(queue.views, { exact: true })
      await expect(views).toBeVisible()
      const field = await page
        .getByRole('search')
        .locator('input:visible, select:visible')
        .last()
        .boundingBox()
      const box = await views.boundingBox()
      expect(box?.y, `${path}: views stand on the filters' line`).toBeLessThan((field?.y ?? 0) + 40)
    }
  })
})
