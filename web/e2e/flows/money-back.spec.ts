import { adminOrders as texts } from '../../src/messages/admin-order'
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
