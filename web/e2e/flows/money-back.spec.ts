import { adminLessCoin } from '../../src/messages/admin-less-coin'
import { adminOrders as texts } from '../../src/messages/admin-order'
import { lessCoin } from '../../src/messages/less-coin'
import { moneyTexts } from '../../src/messages/situations'
import { expectNoViolation } from '../fixtures/accessible'
import { test } from '../fixtures/crowd'
import { fulfilled, paid, until } from '../fixtures/orders'
import { decideAs, press } from '../fixtures/presses'
import { wire } from '../fixtures/situations'
import { expect } from '../fixtures/test'

test('part of the money goes back after the coin was sent: both pages and the mail say how much', async ({
  customer,
  staff,
}) => {
  const made = await paid(customer, staff)
  await fulfilled(staff, made)
  await until(staff, made, 'sent', ({ status }) => status === 'sent')
  await customer.page.goto(`/orders/${made.id}`)

  await staff.page.goto(`/admin/orders/${made.id}`)
  await press(staff.page, /^Refund/)
  const dialog = staff.page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await expectNoViolation(staff.page)
  await dialog.getByLabel(texts.refundPart).check()
  await dialog.getByLabel(texts.refundAmount).fill('12.34')
  await dialog.getByLabel('Reason').fill('Came a day late')
  await dialog.getByRole('button', { name: 'Refund $12.34' }).click()
  await expect(dialog).toHaveCount(0)

  await until(staff, made, 'refunded in part', ({ refunded }) => refunded === '12.34')
  await expect(customer.page.getByText(/\$12\.34/).first()).toBeVisible()
  await expect(customer.page.getByText(/is (on its way to|in) your wallet/)).toBeVisible()
})

test('money that came by wire goes back to the balance, whose history says for which order', async ({
  customer,
  staff,
}) => {
  const made = await wire(customer, staff, (total) => total)
  await until(staff, made, 'paid', ({ status, decision }) => status === 'payment_approved' && !decision)
  await staff.page.goto(`/admin/orders/${made.id}`)
  await decideAs(staff.page, /^Refund/, { Reason: 'The customer asked for it' })
  await until(staff, made, 'refunded', ({ metadata }) => metadata.resolution === 'refunded')

  await customer.page.goto('/balance')
  const entry = customer.page
    .getByRole('listitem')
    .or(customer.page.getByRole('row'))
    .filter({ hasText: made.reference })
    .first()
  await expect(entry).toBeVisible()
  await expect(entry).toContainText(Number(made.total).toFixed(2))
})

test('a wire that is too much: the order continues, and its customer chooses what becomes of the rest', async ({
  customer,
  staff,
}) => {
  const { page } = customer
  for (const [choice, outcome] of [
    [moneyTexts.creditNow, /^Paid too much, (being )?credited to your balance$/],
    [moneyTexts.sendBack, moneyTexts.surplusIs.returning ?? ''],
  ] as const) {
    const made = await wire(customer, staff, (total) => total + 20)
    await until(staff, made, 'paid', ({ status, decision }) => status === 'payment_approved' && !decision)
    await page.goto(`/orders/${made.id}`)
    const row = page.getByRole('listitem').filter({ hasText: /^Paid too much/ })
    await expect(row).toContainText(moneyTexts.surplusIs.held ?? '')
    await expect(row).toContainText('$20.00')
    await expectNoViolation(page)
    await row.getByRole('button', { name: choice, exact: true }).click()
    await expect(row.getByText(outcome)).toBeVisible()
    await expect(row.getByRole('button')).toHaveCount(0)
    await fulfilled(staff, made)
    await until(staff, made, 'sent', ({ status }) => status === 'sent')
  }
  await page.goto('/balance')
  const credits = page.getByRole('row').filter({ hasText: '$20.00' })
  await expect(credits.first()).toBeVisible()
  await expect(credits, 'what goes back to its sender is not credited').toHaveCount(1)
})

test('part of the money goes back before the coin is sent: all of it is sent, or less where the customer agrees', async ({
  customer,
  staff,
}) => {
  const made = await paid(customer, staff)
  await customer.page.goto(`/orders/${made.id}`)

  await test.step('staff offer less, and the order waits for the answer', async () => {
    await staff.page.goto(`/admin/orders/${made.id}`)
    await press(staff.page, /^Refund/)
    const dialog = staff.page.getByRole('dialog')
    await dialog.getByLabel(texts.refundPart).check()
    await expect(dialog.getByLabel(adminLessCoin.all)).toBeChecked()
    await dialog.getByLabel(texts.refundAmount).fill('12.34')
    await dialog.getByLabel(adminLessCoin.less).check()
    await expect(dialog.getByRole('status').filter({ hasText: made.amount })).toBeVisible()
    await dialog.getByLabel('Reason').fill('Asked for a smaller order')
    await dialog.getByRole('button', { name: adminLessCoin.go('$12.34') }).click()
    await expect(dialog).toHaveCount(0)
    await expect(staff.page.getByText(adminLessCoin.waits)).toBeVisible()
  })

  await test.step('the customer sees both amounts, and agrees', async () => {
    await expect(customer.page.getByText(lessCoin.title)).toBeVisible()
    await expectNoViolation(customer.page)
    await customer.page.getByRole('button', { name: lessCoin.agree.button, exact: true }).click()
    await customer.page
      .getByRole('dialog')
      .getByRole('button', { name: lessCoin.agree.button, exact: true })
      .click()
    await expect(customer.page.getByText(lessCoin.title)).toHaveCount(0)
    await until(staff, made, 'refunded in part', ({ refunded }) => refunded === '12.34')
  })

  await test.step('the dialog repeats what was agreed, and less is sent', async () => {
    await staff.page.reload()
    await press(staff.page, /^Fulfill/)
    const dialog = staff.page.getByRole('dialog')
    await expect(dialog).toContainText('$12.34')
    await expect(dialog).toContainText(/agreed|agreement/)
    await expect(dialog).not.toContainText(made.amount)
    await dialog.getByRole('button', { name: /^Fulfill/ }).click()
    await until(staff, made, 'sent', ({ status }) => status === 'sent')
  })
})
