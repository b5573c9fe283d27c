import { shows } from '../fixtures/expect'
import { newCardNumber, sellGiftCard } from '../fixtures/gift-cards'
import { Caller } from '../fixtures/orders'
import { signUp } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

test('the older panel approves a card; it is found among all transactions, followed to its postings and to who approved it', async ({
  page,
  admin,
}) => {
  await signUp(page)
  const id = await sellGiftCard(page, { value: '100', code: newCardNumber() })
  await page.goto(`/gift-cards/${id}`)
  await expect(page.getByText('We’re reviewing your card')).toBeVisible()
  const { reference } = await (await page.request.get(`/api/gift-cards/${id}`)).json()
  const office = admin.page
  /** The page, without the sidebar and the top bar, whose links have the same names. */
  const main = office.getByRole('main')

  await test.step('the older panel tells the figures, and its buttons work', async () => {
    await office.goto('/admin/legacy')
    await expect(office.getByRole('heading', { level: 1, name: 'Admin Panel' })).toBeVisible()
    const stats = await (await office.request.get('/api/admin/stats')).json()
    const figure = (name: string) =>
      office.locator('dt').filter({ hasText: name }).locator('..').locator('dd').first()
    for (const name of ['Total Users', 'Active Trades', 'Daily Volume', 'KYC Pending'])
      await expect(office.locator('dt').filter({ hasText: name })).toBeVisible()
    for (const name of ['Active Trades', 'Daily Volume', 'KYC Pending'])
      await expect(figure(name)).toHaveText(/^\$?[\d,.]+$/)
    await expect(figure('Total Users')).toHaveText(stats.totalUsers.toLocaleString('en-US'))
    await expect(figure('Redeemed today')).toHaveText(/^[\d,]+$/)
    await expect(figure('Total value')).toHaveText(/^\$[\d,.]+$/)
    await shows(
      '§2 older panel: success rate of vouchers',
      expect(figure('Success rate')).toHaveText(/%$|^—$/),
    )
    await expect(office.getByRole('button', { name: 'Generate', exact: true })).toBeVisible()
    await expect(office.getByRole('button', { name: 'Export CSV' })).toBeVisible()
    const review = office.getByRole('article', { name: reference })
    await shows('§2 older panel: a pending card with its id', expect(review).toContainText(id))
    await expect(review).toContainText('$100.00')
    await expect(review.getByRole('button', { name: 'Reject' })).toBeEnabled()
    await review.getByRole('button', { name: 'Approve' }).click()
    const dialog = office.getByRole('dialog')
    await new Caller(office).post(`/api/admin/gift-cards/${id}/reveal`)
    await dialog.getByLabel('Value found on the card').fill('100')
    await expect(dialog.getByText('The customer gets $80.00.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await expect(office.getByText('Gift card approved').first()).toBeVisible()
    await expect(review).toHaveCount(0)
    const back = main.getByRole('link', { name: 'Back to Dashboard' })
    await expect(back).toBeVisible()
    await back.click()
    await expect(office).toHaveURL(/\/$/)
  })

  await test.step('it is one of all transactions, under every filter that it fits', async () => {
    await office.goto('/admin')
    await expect(main.getByRole('link', { name: 'Monitor Transactions' })).toBeVisible()
    await main.getByRole('link', { name: 'View All activity' }).click()
    await expect(office).toHaveURL(/\/admin\/transactions/)
    await office.getByLabel('Type').selectOption({ label: 'Gift card' })
    await office.getByLabel('Status').selectOption({ label: 'Completed' })
    await office.getByLabel('Reference / id').fill(reference)
    await expect(office.getByText(/^Showing 1 of 1 transactions/)).toBeVisible()
    const row = office.getByRole('row').filter({ hasText: reference })
    await expect(row).toContainText('$80.00')
    const file = await office.getByRole('link', { name: 'Export CSV' }).getAttribute('href')
    const lines = (await (await office.request.get(file ?? '')).text()).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`gift_card,${reference},${id}`)
    await office.getByLabel('Status').selectOption({ label: 'Failed' })
    await expect(office.getByText('No transactions found')).toBeVisible()
    await office.goBack()
    await row.getByRole('link', { name: reference }).click()
    await expect(office).toHaveURL(new RegExp(`/admin/gift-cards/${id}`))
  })

  await test.step('its postings lead to the account, and the books balance', async () => {
    await main.getByRole('link', { name: 'Ledger' }).click()
    const row = office.getByRole('row').filter({ hasText: '80.00 USD' })
    await expect(row).toContainText('Customer: balance')
    await row.getByRole('link', { name: 'Gift cards in stock' }).click()
    await expect(office.locator('dt').filter({ hasText: 'Closing balance' }).locator('..')).toContainText(
      'USD',
    )
    await expect(office.getByText('Asset', { exact: true })).toBeVisible()
    await office.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Ledger' }).click()
    await expect(office.getByText('In balance')).toBeVisible()
    await expect(office.getByRole('region', { name: 'USD', exact: true })).toContainText(
      'Customers: balances',
    )
    await office.getByLabel('At', { exact: true }).fill('2020-01-01T00:00:00')
    await expect(office.getByText('No entries at that time.')).toBeVisible()
    await office.getByRole('button', { name: 'Now' }).click()
    await expect(office.getByRole('region', { name: 'USD', exact: true })).toBeVisible()
  })

  await test.step('the audit log says who approved it', async () => {
    await office.goto(`/admin/gift-cards/${id}`)
    await main.getByRole('link', { name: 'Audit' }).click()
    const row = office.getByRole('row').filter({ hasText: 'gift card: approve' })
    await expect(row).toContainText(reference)
    await expect(row).toContainText('admin')
    await row.getByRole('link', { name: reference }).click()
    await expect(office).toHaveURL(new RegExp(`/admin/gift-cards/${id}`))
  })
})
