import { Caller, paid, until } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { decideAs, press } from '../fixtures/presses'
import { expectToast } from '../fixtures/said'
import { expect, test } from '../fixtures/test'

test('customers: found by e-mail in any case, filtered through the address, and given a tier by hand', async ({
  page,
  admin,
}) => {
  const email = await verifiedCustomer(page)
  await admin.page.goto('/admin/customers')
  for (const name of ['Total Customers', 'Verified Users', 'Premium Tiers', 'Pending KYC'])
    await expect(admin.page.locator('dt').filter({ hasText: name })).toBeVisible()
  await admin.page.getByLabel('Search customers').fill(email.toUpperCase())
  await expect(admin.page).toHaveURL(/q=/)
  const row = admin.page.getByRole('row').filter({ hasText: email })
  await expect(row).toContainText('Verified')
  await expect(row).toContainText('Bronze')
  await admin.page.getByLabel('KYC status').selectOption('pending')
  await expect(admin.page.getByText('No customers found')).toBeVisible()
  await admin.page.goBack()
  await row.getByRole('button', { name: /^Edit/ }).click()
  const dialog = admin.page.getByRole('dialog')
  await expect(dialog).toContainText('Never')
  await dialog.getByLabel('Volume Tier').selectOption('gold')
  await expectToast(admin.page, 'Success', 'Customer tier updated successfully')
  await expect(dialog).toHaveCount(0)
  await expect(row).toContainText('Gold')
  await row.getByRole('button', { name: /^Edit/ }).click()
  await expect(dialog).toContainText('set manually until')
  await admin.page.route('**/tier', (route) => route.abort())
  await dialog.getByLabel('Volume Tier').selectOption('silver')
  await expectToast(admin.page, 'Error', 'Failed to update customer tier')
})

test('a customer is frozen in the middle of an order, which waits, and is sent once they are unfrozen', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const { id } = await (await page.request.get('/api/auth/user')).json()
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]
  const made = await paid(customer, staff)

  await test.step('freezing needs a reason, and says what it does', async () => {
    await admin.page.goto(`/admin/customers/${id}`)
    await admin.page.getByRole('button', { name: 'Freeze', exact: true }).click()
    await expect(admin.page.getByRole('dialog').getByRole('button', { name: 'Freeze' })).toBeDisabled()
    await admin.page.keyboard.press('Escape')
    await decideAs(admin.page, 'Freeze', { Reason: 'Asked for by the police' })
    await expect(admin.page.getByText('Asked for by the police')).toBeVisible()
    await expect(admin.page.getByText('Frozen', { exact: true }).first()).toBeVisible()
  })

  await test.step('the order parks before coin is bought, and its customer is told', async () => {
    await admin.page.goto(`/admin/orders/${made.id}`)
    await press(admin.page, /^Fulfill/)
    await admin.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Fulfill/ })
      .click()
    await until(staff, made, 'parked', (seen) => seen.attention?.reason === 'customer_frozen')
    await page.goto(`/orders/${made.id}`)
    await expect(page.getByText('Your account is on hold').first()).toBeVisible()
  })

  await test.step('unfrozen, it goes on by itself', async () => {
    await admin.page.goto(`/admin/customers/${id}`)
    await admin.page.getByLabel('New note').fill('Settled with the police')
    await admin.page.getByRole('button', { name: 'Add note' }).click()
    await expect(
      admin.page.getByRole('listitem').filter({ hasText: 'Settled with the police' }),
    ).toBeVisible()
    await decideAs(admin.page, 'Unfreeze', { Reason: 'Settled' })
    await until(staff, made, 'sent', ({ status }) => status === 'sent')
  })
})
