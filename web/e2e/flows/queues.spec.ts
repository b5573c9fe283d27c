import type { Page } from '@playwright/test'
import { admin } from '../../src/messages/admin'
import { closedCredits } from '../../src/messages/admin-closed-credits'
import { adminMoney } from '../../src/messages/admin-money'
import { adminNav } from '../../src/messages/admin-nav'
import { queue } from '../../src/messages/admin-queue'
import { records } from '../../src/messages/admin-records'
import { adminRisk } from '../../src/messages/admin-risk'
import { test } from '../fixtures/crowd'
import { expectFits } from '../fixtures/fits'
import { Caller, order } from '../fixtures/orders'
import { answered, brought, type Case } from '../fixtures/queue-cases'
import { appRoutes, settled, waitingMove } from '../fixtures/routes'
import { expect } from '../fixtures/test'

/** One queue by keyboard alone, and its rows where they are narrowest. */
async function worked(page: Page, { path, row: text, key, act, dialog }: Case): Promise<void> {
  const rows = page.locator('[data-queue]').last().locator('[data-row]')
  const row = rows.filter({ hasText: text }).first()
  const entry = row.locator('[data-open]')
  const title = (name: string) => page.getByRole('dialog', { name })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(path)
  await expect(row).toBeVisible()
  expect((await row.boundingBox())?.height, 'a row is 40 px').toBeLessThanOrEqual(41)

  await page.keyboard.press('j')
  await expect(page.locator('[data-queue] [data-row] [data-open]').first()).toBeFocused()
  const opens = await rows.locator('[data-open]').all()
  if (opens[1]) {
    await opens[0]?.focus()
    await page.keyboard.press('j')
    await expect(opens[1]).toBeFocused()
    await page.keyboard.press('k')
    await expect(opens[0] ?? entry).toBeFocused()
  }

  const here = page.url()
  await entry.focus()
  await page.keyboard.press('Enter')
  await expect(async () => {
    const dialogs = await page.getByRole('dialog').count()
    expect(dialogs > 0 || page.url() !== here).toBe(true)
  }).toPass()
  if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape')
  else await page.goBack()
  await expect(page).toHaveURL(here)
  await expect(row).toBeVisible()

  await entry.focus()
  await page.keyboard.press('?')
  await expect(title(queue.keysTitle)).toContainText(act)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await entry.focus()
  await page.keyboard.press(key)
  await expect(title(dialog)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.setViewportSize({ width: 1024, height: 800 })
  await page.reload()
  await expect(row).toBeVisible()
  await expectFits(page, path)
  const over = await page
    .locator('[data-queue] > div')
    .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth))
  expect(over, `${path} scrolls its table sideways`).toEqual(over.map(() => 0))
}

/** Staff's pages that list nothing. */
const listless = ['/admin', '/admin/pricing', '/admin/switches']

/** J, K, Enter and the question mark on one list. */
async function led(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settled(page)
  await expect(page.locator('[data-queue]'), `${path} has rows that keys lead through`).not.toHaveCount(0)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: queue.keysTitle })
  for (const act of [records.next, records.previous, queue.open]) await expect(help, path).toContainText(act)
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)

  const rows = page.locator('[data-queue]:has([data-row])').first().locator('[data-row]')
  const at = () => rows.evaluateAll((all) => all.findIndex((row) => row.contains(document.activeElement)))
  const n = await rows.count()
  if (n === 0) return
  await page.keyboard.press('j')
  await expect.poll(at, path).toBe(0)
  if (n > 1) {
    await page.keyboard.press('j')
    await expect.poll(at, path).toBe(1)
    await page.keyboard.press('k')
    await expect.poll(at, path).toBe(0)
  }
  const [here, opens] = [page.url(), await page.evaluate(() => document.activeElement?.matches('a, button'))]
  if (!opens) return
  let tabs = 0
  page.on('popup', () => {
    tabs += 1
  })
  await page.keyboard.press('Enter')
  await expect(async () => {
    const dialogs = await page.getByRole('dialog').count()
    expect(dialogs > 0 || page.url() !== here || tabs > 0, `Enter opens a row of ${path}`).toBe(true)
  }).toPass()
}

test('keys lead through every list of staff', async ({ customer, staff }) => {
  await order(customer, 'zelle')
  await waitingMove(staff)
  const lists = appRoutes().filter(
    (path) => path.startsWith('/admin') && !path.includes('$') && !listless.includes(path),
  )
  expect(lists).toContain('/admin/audit')
  await staff.page.setViewportSize({ width: 1280, height: 900 })
  for (const path of lists) await test.step(path, () => led(staff.page, path))
})

test('queues: every one is rows of 40 px, and worked off by keys', async ({
  customer,
  staff,
  admin: { page: other },
}) => {
  const cases = [...(await brought(customer, staff, new Caller(other))), ...(await answered(staff.page))]
  for (const one of cases) await test.step(`${one.path} ${one.key}`, () => worked(staff.page, one))

  await test.step('an order in two queues counts once in the sidebar', async () => {
    const { page } = staff
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/admin/customers')
    await expect(async () => {
      const { actionable } = await staff.get<{ actionable: number }>('/api/admin/orders/summary')
      const name = `${adminNav.orders} ${actionable} ${admin.waiting}`
      await expect(page.getByRole('link', { name })).toBeVisible({ timeout: 2_000 })
    }).toPass()
  })

  await test.step('columns stay chosen when another part of a queue is shown', async () => {
    const { page } = staff
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const { path, other } of [
      { path: '/admin/risk', other: adminRisk.views.closed },
      { path: '/admin/money', other: adminMoney.views.placed },
      { path: '/admin/closed-credits', other: closedCredits.views.sent_back },
    ]) {
      await page.goto(`${path}?cols=reference,order,amount,total`)
      await expect(page.getByRole('columnheader', { name: queue.reference })).toBeVisible()
      await expect(page.getByRole('columnheader', { name: queue.status })).toHaveCount(0)
      await page.getByRole('button', { name: other }).click()
      await expect(page, path).toHaveURL(/view=.*/)
      await expect(page, path).toHaveURL(/cols=reference/)
    }
  })
})
