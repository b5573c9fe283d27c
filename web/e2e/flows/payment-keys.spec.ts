import { adminOrder, adminOrders } from '../../src/messages/admin-order'
import { adminPayments } from '../../src/messages/admin-payments'
import { queue, reasonPresets } from '../../src/messages/admin-queue'
import { notes } from '../../src/messages/admin-records'
import { expectNoViolation } from '../fixtures/accessible'
import { test } from '../fixtures/crowd'
import { authorised, type Caller, order, paid } from '../fixtures/orders'
import { expect } from '../fixtures/test'

/** Card payments that wait for a decision, made by the API. */
async function cardPayments(customer: Caller, staff: Caller, n: number): Promise<string[]> {
  const references: string[] = []
  const left = Array.from({ length: n }).values()
  const make = async () => {
    for (const _ of left) {
      const made = await order(customer, 'card', 'BTC', '0.0006')
      await authorised(customer, staff, made)
      references.push(made.reference)
    }
  }
  await Promise.all(Array.from({ length: 5 }, make))
  return references
}

test('payments: keys move, select, act and lead on to the next row', async ({ customer, staff }) => {
  const { page } = staff
  const row = (reference: string) => page.locator('[data-row]').filter({ hasText: reference })
  let made: string[] = []
  // Other tests share the list: a row leads to the next of ours only where ours are adjacent.
  const together = async () => {
    made = await cardPayments(customer, staff, 4)
    await page.goto('/admin/payments?method=card')
    for (const reference of made) await expect(row(reference)).toBeVisible()
    const texts = await page.locator('[data-row]').allInnerTexts()
    const at = texts.flatMap((text, place) => (made.some((one) => text.includes(one)) ? [place] : []))
    return (at[3] ?? 0) - (at[0] ?? 0)
  }
  await expect.poll(together, { intervals: [0] }).toBe(3)
  const order4 = await page
    .locator('[data-row]')
    .filter({ hasText: new RegExp(made.join('|')) })
    .allInnerTexts()
  const shown = order4.map((text) => made.find((reference) => text.includes(reference)) ?? '')
  const entry = (at: number) => row(shown[at] ?? '').locator('[data-open]')

  await test.step('a row is 40 px, says who and what, and counts stand in the sidebar', async () => {
    expect((await row(shown[0] ?? '').boundingBox())?.height).toBeLessThanOrEqual(41)
    await expect(row(shown[0] ?? '')).toContainText('Casey Lin')
    await expect(row(shown[0] ?? '')).toContainText('Visa •••• 4242')
    await expect(page.getByRole('link', { name: /^Pending Payments \d+ waiting/ })).toBeVisible()
  })

  await test.step('the skip link leads past sidebar and top bar', async () => {
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.locator('#main')).toBeFocused()
    expect(await page.locator('#main').getByRole('link', { name: 'Back office' }).count()).toBe(0)
  })

  await test.step('Enter opens the row; the question mark lists the keys', async () => {
    await entry(0).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toContainText(shown[0] ?? '')
    await page.keyboard.press('Escape')
    await expect(entry(0)).toBeFocused()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Decline')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(entry(0)).toBeFocused()
    await page.keyboard.press('j')
    await expect(entry(1)).toBeFocused()
    await page.keyboard.press('k')
    await expect(entry(0)).toBeFocused()
    await expectNoViolation(page)
  })

  await test.step('P captures, and the focus goes to the next row', async () => {
    await page.keyboard.press('p')
    await expect(page.getByRole('dialog')).toContainText('Capture this payment?')
    await page.keyboard.press('Enter')
    await expect(entry(1)).toBeFocused()
    await expect(row(shown[0] ?? '')).toHaveCount(0)
    await expect(entry(1)).toBeFocused()
  })

  await test.step('D, the number of a common reason and Enter decline; a figure after text is text', async () => {
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog')
    const reason = dialog.getByLabel(adminPayments.reason, { exact: true })
    await page.keyboard.type('In 2')
    await expect(reason).toHaveValue('In 2')
    await reason.fill('')
    await page.keyboard.press('2')
    await expect(reason).toHaveValue(reasonPresets.decline[1])
    await expect(reason).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(row(shown[1] ?? '')).toHaveCount(0)
    await expect(entry(2)).toBeFocused()
  })

  await test.step('X selects, and a refusal among several is listed with its sentence', async () => {
    await page.route('**/api/admin/payments/*/process', async (route, request) => {
      const first = request.url().includes((await row(shown[2] ?? '').getAttribute('data-row')) ?? 'none')
      return first
        ? route.fulfill({
            status: 409,
            contentType: 'application/json',
            body: '{"message":"The card was declined.","code":"card_declined"}',
          })
        : route.continue()
    })
    await page.keyboard.press('x')
    await page.keyboard.press('x')
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.keyboard.press('p')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Capture 2 payments?')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('status').filter({ hasText: '1 done, 1 failed' })).toBeVisible()
    await expect(dialog.getByRole('listitem').first()).toContainText('The card was declined.')
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(row(shown[3] ?? '')).toHaveCount(0)
    await expect(row(shown[2] ?? '')).toBeVisible()
  })

  await test.step('columns are chosen in the address, and a view has a name', async () => {
    await page.getByTitle('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Payment intent' }).check()
    await expect(page).toHaveURL(/cols=.*intent/)
    await expect(page.getByRole('columnheader', { name: 'Payment intent' })).toBeVisible()
    await page.getByTitle('Views', { exact: true }).click()
    await page.getByLabel('Name of this view').fill('With intents')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.goto('/admin/payments')
    await page.getByTitle('Views', { exact: true }).click()
    await page.getByRole('link', { name: 'With intents' }).click()
    await expect(page).toHaveURL(/cols=.*intent/)
  })
})

test('an order: its next act on the page, the rest in a menu, and the keys of both there and in the drawer', async ({
  customer,
  staff,
}) => {
  const { page } = staff
  const { id, reference } = await paid(customer, staff)
  const acts = page.locator('section').filter({ has: page.getByRole('link', { name: adminOrder.proof }) })
  const asks = (title: string) => page.getByRole('dialog', { name: title })

  await page.goto(`/admin/orders/${id}`)
  await expect(acts.getByRole('button')).toHaveText([/^Fulfill/, queue.more])
  await page.keyboard.press('f')
  await expect(asks(adminOrders.fulfillTitle)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(asks(adminOrders.fulfillTitle)).toHaveCount(0)
  const more = page.getByRole('button', { name: queue.moreFor(reference) })
  await more.press('Enter')
  const refund = page.getByRole('menuitem', { name: adminOrders.refund })
  await expect(refund).toBeVisible()
  await page.keyboard.press('f')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await more.focus() // as it is for a moment while the menu opens
  await page.keyboard.press('f')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expectNoViolation(page)
  await refund.press('Enter')
  await expect(page.getByRole('dialog')).toContainText(adminOrders.refundPart)
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()

  await page.goto(`/admin/orders?status=all&q=${id}&open=${id}`)
  await expect(acts.getByRole('button')).toHaveText([/^Fulfill/, queue.more])
  await page.keyboard.press('h')
  await expect(asks(adminOrders.holdTitle)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(asks(adminOrders.holdTitle)).toHaveCount(0)
  await page.getByLabel(notes.field).press('h')
  await expect(page.getByLabel(notes.field)).toHaveValue('h')
})

test('Escape in the drawer closes what lies on top alone: a menu, and a dialog of this very moment', async ({
  customer,
  staff,
}) => {
  const { page } = staff
  const { id, reference } = await paid(customer, staff)
  await page.goto(`/admin/orders?status=all&q=${id}&open=${id}`)
  const drawer = page.getByRole('dialog').filter({ hasText: reference })
  const more = drawer.getByRole('button', { name: queue.moreFor(reference) })
  await more.press('Enter')
  await expect(drawer.getByRole('menu')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer.getByRole('menu')).toHaveCount(0)
  await expect(more).toBeFocused()

  await drawer.evaluate((below) => {
    const press = (key: string) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      )
    const above = () => document.querySelectorAll('[role=dialog]').length > 1 && below.isConnected
    return new Promise<void>((closed) => {
      const watch = new MutationObserver(() => {
        if (!above()) return
        watch.disconnect()
        press('Escape')
        closed()
      })
      watch.observe(document.body, { childList: true })
      press('h')
    })
  })
  await expect(page.getByRole('dialog', { name: adminOrders.holdTitle })).toHaveCount(0)
  await expect(drawer).toBeVisible()
  await drawer.getByLabel(notes.field).press('h')
  await expect(drawer.getByLabel(notes.field)).toHaveValue('h')
})

/** A measurement and no check: docs/performance.md describes the method. */
const measured = process.env.E2E_MEASURE ? test : () => undefined

measured('measured: 50 card payments decided by keyboard, one key a second', async ({ customer, staff }) => {
  const { payments: before } = await staff.get<{ payments: { id: string }[] }>(
    '/api/admin/payments/pending?actionable=true',
  )
  for (const { id } of before)
    await staff.post(`/api/admin/payments/${id}/reject`, { reason: 'Not measured' })
  const made = await cardPayments(customer, staff, 50)
  const { page } = staff
  await page.goto('/admin/payments')
  const mine = page.locator('[data-row]').filter({ hasText: new RegExp(made.join('|')) })
  await expect(mine).toHaveCount(50)
  const began = Date.now()
  let keys = 0
  const press = async (key: string) => {
    await page.keyboard.press(key)
    keys += 1
    const next = began + keys * 1000
    await page.waitForFunction((at) => Date.now() >= at, next, { polling: 20 })
  }
  for (let at = 0; at < 50; at += 1) await press('x')
  await press('p')
  await press('Enter')
  await expect(page.getByRole('status').filter({ hasText: '50 done' })).toBeVisible({ timeout: 120_000 })
  const seconds = (Date.now() - began) / 1000
  process.stdout.write(`50 card payments: ${keys} keys, ${seconds.toFixed(1)} s\n`)
  expect(seconds).toBeLessThanOrEqual(60)
})
