import { signIn, signUp } from '../fixtures/people'
import { mailTo } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

const wallet = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

test('a voucher is generated, redeemed in two steps, and its crypto sent', async ({
  page,
  admin,
  browser,
}) => {
  test.setTimeout(180_000)
  const email = await signUp(page)
  let code = ''

  await test.step('quantities are checked, and a code is shown once', async () => {
    await admin.page.goto('/admin/vouchers')
    await admin.page.getByLabel('Quantity').fill('101')
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    await expect(admin.page.getByText('Quantity must be between 1 and 100').first()).toBeVisible()
    await admin.page.getByLabel('Quantity').fill('2')
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    const made = admin.page.getByRole('region', { name: 'Just generated' })
    await expect(made.getByRole('listitem')).toHaveCount(2)
    await expect(admin.page.getByText(/^Generated voucher: \d{4}-\d{4}-\d{4}-\d{4}$/).first()).toBeVisible()
    code = (await made.getByRole('listitem').first().locator('code').textContent()) ?? ''
    expect(code).toMatch(/^\d{4}-\d{4}-\d{4}-\d{4}$/)
    const download = admin.page.waitForEvent('download')
    await admin.page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await download).suggestedFilename()).toMatch(/^vouchers-\d{4}-\d\d-\d\d\.csv$/)
  })

  const card = page.locator('#voucher-redemption')

  await test.step('codes and forms are checked in the words of the specification', async () => {
    await page.goto('/dashboard')
    await card.getByLabel('Voucher code').fill('1234')
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Please enter a valid 16-digit voucher code')).toBeVisible()
    await card.getByLabel('Voucher code').fill('1111222233334444')
    await expect(card.getByLabel('Voucher code')).toHaveValue('1111-2222-3333-4444')
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Voucher code not found or already redeemed')).toBeVisible()
    await card.getByLabel('Voucher code').fill(code)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(page.getByText('Voucher worth $25.00 found').first()).toBeVisible()
    await card.getByRole('button', { name: 'Redeem voucher' }).click()
    await expect(card.getByText('Please fill in all required fields').first()).toBeVisible()
    await card.getByRole('button', { name: 'Back' }).click()
    await expect(card.getByLabel('Voucher code')).toHaveValue(code)
  })

  await test.step('it is redeemed once, and its crypto arrives by itself', async () => {
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await card.getByLabel('Cryptocurrency').selectOption('BTC')
    await card.getByLabel('Wallet address').fill(wallet)
    await expect(card.getByText('It will be sent on the Bitcoin network.')).toBeVisible()
    await card.getByRole('button', { name: 'Redeem voucher' }).click()
    await expect(
      page.getByText('Voucher redeemed successfully! Crypto will be sent shortly.').first(),
    ).toBeVisible()
    await expect(card.getByLabel('Voucher code')).toHaveValue('')
    await page.goto('/vouchers')
    await page.getByRole('link', { name: '$25.00' }).click()
    await expect(page.getByText('Your crypto was sent')).toBeVisible({ timeout: 60_000 })
    expect((await mailTo(email, /voucher was paid/)).text).not.toContain(code)
    await admin.page.goto('/admin/vouchers?status=paid')
    await expect(admin.page.getByRole('article').filter({ hasText: email }).first()).toBeVisible()
    await page.goto('/transactions?type=voucher')
    await expect(page.getByText('Showing 1 of 1 transactions')).toBeVisible()
    await page.getByRole('link', { name: /^VR-/ }).click()
    await expect(page.getByText('Your crypto was sent')).toBeVisible()
    await page.goto('/dashboard')
    await card.getByLabel('Voucher code').fill(code)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Voucher code not found or already redeemed')).toBeVisible()
  })

  await test.step('beyond what one admin makes alone, another one approves', async () => {
    await admin.page.goto('/admin/vouchers')
    await admin.page.getByLabel('Amount', { exact: true }).selectOption('custom')
    await admin.page.getByLabel('Custom amount').fill('1999')
    await admin.page.getByLabel('Quantity').fill('2')
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    await expect(
      admin.page.getByText('These wait for another admin before they can be redeemed.'),
    ).toBeVisible()
    const made = admin.page.getByRole('region', { name: 'Just generated' })
    const large = (await made.getByRole('listitem').nth(1).locator('code').textContent()) ?? ''
    await card.getByLabel('Voucher code').fill(large)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Voucher code not found or already redeemed')).toBeVisible()
    await admin.page.goto('/admin/vouchers?status=awaiting_approval')
    const waiting = admin.page.getByRole('article').first()
    await expect(waiting).toBeVisible()
    await expect(waiting.getByRole('button', { name: 'Approve batch' })).toHaveCount(0)
    const context = await browser.newContext()
    const second = await context.newPage()
    await signIn(second, 'bob@example.com')
    await second.goto('/admin/vouchers?status=awaiting_approval')
    await second.getByRole('button', { name: 'Approve batch' }).first().click()
    await second.getByRole('dialog').getByRole('button', { name: 'Approve batch' }).click()
    await expect(second.getByText('Batch approved').first()).toBeVisible()
    await context.close()
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Vouchers over $300 are redeemed by verified customers.')).toBeVisible()
    await expect(card.getByRole('button', { name: 'Redeem voucher' })).toBeDisabled()
  })
})
