import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { voucherBatches as batches, adminVoucherStatus as states } from '../../src/messages/admin-vouchers'
import { shows } from '../fixtures/expect'
import { Caller } from '../fixtures/orders'
import { signIn, signUp } from '../fixtures/people'
import { expectToast, lose } from '../fixtures/said'
import { mailTo } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

const wallet = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** Generates vouchers together: the dialog repeats the total and asks for a purpose. The first answer may be lost. */
async function generateBatch(page: Page, quantity: number, { lost = false } = {}) {
  await page.getByLabel('Quantity').fill(String(quantity))
  let calls = 0
  if (lost)
    await page.route('**/api/admin/voucher-batches', async (route) => {
      if (route.request().method() !== 'POST' || ++calls > 1) return route.fallback()
      await route.fetch()
      return route.abort()
    })
  await page.getByRole('button', { name: 'Generate' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(`${quantity} vouchers of $25.00, $${quantity * 25}.00 in total.`)
  const confirm = dialog.getByRole('button', { name: `Generate ${quantity} for $${quantity * 25}.00` })
  await expect(confirm, 'a purpose is required').toBeDisabled()
  await dialog.getByLabel('Purpose').fill('For the autumn fair')
  await confirm.click()
  if (lost) {
    await expectToast(page, 'Failed to generate voucher')
    await confirm.click()
  }
  await expectToast(page, `Generated ${quantity} vouchers`)
  await expect(dialog).toHaveCount(0)
}

test('a voucher is generated, redeemed in two steps, and its crypto sent', async ({
  page,
  admin,
  browser,
}) => {
  const email = await signUp(page)
  let code = ''

  await test.step('quantities are checked, and a code is shown once', async () => {
    await admin.page.goto('/admin/vouchers')
    await admin.page.getByLabel('Quantity').fill('101')
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    await expect(admin.page.getByText('Quantity must be between 1 and 100').first()).toBeVisible()
    await shows(
      '§9 vouchers expire after 365 days',
      expect(admin.page.getByText('They expire after 365 days.', { exact: false })).toBeVisible(),
    )
    const amounts = admin.page.getByLabel('Amount', { exact: true }).locator('option')
    await shows(
      '§5 vouchers of 25, 50, 100 or custom',
      expect(amounts).toHaveText(['25', '50', '100', 'Custom']),
    )
    await shows(
      '§5 vouchers in USD, BTC, ETH',
      expect(admin.page.locator('#voucher-currency option')).toHaveText(['USD', 'BTC', 'ETH']),
    )
    await generateBatch(admin.page, 2, { lost: true })
    await admin.page.getByLabel('Quantity').fill('1')
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    await expect(admin.page.getByText(/^Generated voucher: \d{4}-\d{4}-\d{4}-\d{4}$/).first()).toBeVisible()
    const made = admin.page.getByRole('region', { name: 'Just generated' })
    code = (await made.getByRole('listitem').first().locator('code').textContent()) ?? ''
    await shows('§9 a voucher has 16 digits', () => expect(code).toMatch(/^\d{4}-\d{4}-\d{4}-\d{4}$/))
    const download = admin.page.waitForEvent('download')
    await admin.page.getByRole('button', { name: 'Export CSV' }).click()
    await shows('§9 voucher CSV: its name', async () =>
      expect((await download).suggestedFilename()).toMatch(/^vouchers-\d{4}-\d\d-\d\d\.csv$/),
    )
    await admin.page.goto('/admin/vouchers')
    await generateBatch(admin.page, 2)
    await admin.page.getByRole('link', { name: '2 vouchers of $25.00' }).click()
    await expect(admin.page.getByText('For the autumn fair')).toBeVisible()
    const batch = admin.page.waitForEvent('download')
    await admin.page.getByRole('button', { name: 'Export CSV' }).click()
    const lines = (await readFile(await (await batch).path(), 'utf8')).trim().split('\n')
    await shows('§9 voucher CSV: its columns', () =>
      expect(lines[0]).toMatch(/^Code,Amount,Currency,Created/),
    )
    expect(lines).toHaveLength(3) // the heads of the columns, and the two of this batch
    code = lines[1]?.split(',')[0] ?? ''
    expect(code).toMatch(/^\d{4}-\d{4}-\d{4}-\d{4}$/)
    await admin.page.goto('/admin/vouchers')
  })

  const card = page.locator('#voucher-redemption')

  await test.step('codes and forms are checked in the words of the specification', async () => {
    await page.goto('/dashboard')
    await card.getByLabel('Voucher code').fill('1234')
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Please enter a valid 16-digit voucher code')).toBeVisible()
    await card.getByLabel('Voucher code').fill('1111222233334444')
    await shows(
      '§5 a voucher code stands in groups of four',
      expect(card.getByLabel('Voucher code')).toHaveValue('1111-2222-3333-4444'),
    )
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expectToast(page, 'Invalid Voucher', 'Voucher code not found or already redeemed')
    await expect(card.getByRole('button', { name: 'Check voucher' }), 'the keyboard stays').toBeFocused()
    await card.getByLabel('Voucher code').fill(code)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expectToast(page, 'Voucher Valid', 'Voucher worth $25.00 found')
    await expect(card.getByLabel('Cryptocurrency'), 'the keyboard goes on in the next step').toBeFocused()
    expect(await card.getByLabel('Cryptocurrency').locator('option').allInnerTexts()).toEqual([
      'Choose a cryptocurrency',
      'BTC',
      'ETH',
      'USDT',
      'USDC',
    ])
    await card.getByRole('button', { name: 'Redeem voucher' }).click()
    await expect(card.getByText('Please fill in all required fields').first()).toBeVisible()
    await card.getByRole('button', { name: 'Back' }).click()
    await expect(card.getByLabel('Voucher code')).toHaveValue(code)
    await expect(card.getByLabel('Voucher code')).toBeFocused()
  })

  await test.step('it is redeemed once, and its crypto arrives by itself', async () => {
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await card.getByLabel('Cryptocurrency').selectOption('BTC')
    await card.getByLabel('Wallet address').fill(wallet)
    await expect(card.getByText('Sent on the Bitcoin network.')).toBeVisible()
    await lose(page, '/api/vouchers/redeem')
    const last = page.getByRole('dialog', { name: 'Send your crypto to this address?' })
    const redeem = async () => {
      await card.getByRole('button', { name: 'Redeem voucher' }).click()
      await expect(last.getByTestId('full-address')).toHaveText(wallet)
      await last.getByRole('button', { name: 'Redeem and send' }).click()
    }
    await redeem()
    await expectToast(page, 'Failed to redeem voucher')
    await expect(last).toBeHidden()
    await redeem()
    await expect(
      page.getByText('Voucher redeemed successfully! Crypto will be sent shortly.').first(),
    ).toBeVisible()
    await shows(
      '§2 voucher card: cleared after redeeming',
      expect(card.getByLabel('Voucher code')).toHaveValue(''),
    )
    await page.goto('/vouchers')
    await page.getByRole('link', { name: '$25.00' }).click()
    await expect(page.getByText('We sent your crypto')).toBeVisible()
    expect((await mailTo(email, /for your voucher/)).text).not.toContain(code)
    await admin.page.goto('/admin/vouchers?status=paid')
    await expect(admin.page.locator('[data-row]').filter({ hasText: email }).first()).toBeVisible()
    await page.goto('/transactions?type=voucher')
    await expect(page.getByText('Showing 1 of 1 transactions')).toBeVisible()
    await page.getByRole('link', { name: /^VR-/ }).click()
    await expect(page.getByText('We sent your crypto')).toBeVisible()
    await page.goto('/dashboard')
    await card.getByLabel('Voucher code').fill(code)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Voucher code not found or already redeemed')).toBeVisible()
  })

  await test.step('a voucher in a coin pays that coin to the last digit: nothing of it is an estimate', async () => {
    const asked = { amount: '0.001', currency: 'BTC' }
    const made = await new Caller(admin.page).post<{ code: string }>('/api/admin/vouchers', asked)
    await card.getByLabel('Voucher code').fill(made.code)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('You get 0.001 BTC. We pay the network fee.')).toBeVisible()
    await expect(card.getByText('≈')).toHaveCount(0)
    await card.getByRole('button', { name: 'Back' }).click()
  })

  await test.step('beyond what one admin makes alone, another one approves', async () => {
    await admin.page.goto('/admin/vouchers')
    await admin.page.getByLabel('Amount', { exact: true }).selectOption('custom')
    await admin.page.getByLabel('Custom amount').fill('1999')
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    const made = admin.page.getByRole('region', { name: 'Just generated' })
    await expect(made.getByRole('listitem')).toHaveCount(1)
    await admin.page.getByRole('button', { name: 'Generate' }).click()
    await expect(
      admin.page.getByText('Another admin must approve these before they can be redeemed.'),
    ).toBeVisible()
    const large = (await made.getByRole('listitem').first().locator('code').textContent()) ?? ''
    await card.getByLabel('Voucher code').fill(large)
    await card.getByRole('button', { name: 'Check voucher' }).click()
    await expect(card.getByText('Voucher code not found or already redeemed')).toBeVisible()
    await admin.page.goto('/admin/vouchers')
    const rows = admin.page.locator('[data-row]')
    await expect(rows.first()).toBeVisible()
    await expect(admin.page.getByRole('button', { name: /^To decide/ })).toHaveAttribute(
      'aria-pressed',
      'true',
    )
    await expect(admin.page.getByText(states.active, { exact: true }).and(rows.locator('*'))).toHaveCount(0)
    const { actionable } = await new Caller(admin.page).get<{ actionable: number }>(
      '/api/admin/vouchers/summary',
    )
    await expect(rows).toHaveCount(Math.min(actionable, 50))
    await expect(admin.page.getByRole('link', { name: `Vouchers ${actionable} waiting` })).toBeVisible()
    const waits = await new Caller(admin.page).get<{ waitsSince: string }[]>(
      '/api/admin/vouchers?actionable=true',
    )
    expect(waits.map((one) => Date.parse(one.waitsSince))).toEqual(
      waits.map((one) => Date.parse(one.waitsSince)).sort((a, b) => a - b),
    )
    const waiting = rows.last()
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
    await shows(
      '§9 vouchers over $300 need a verified identity',
      expect(card.getByText('You need a verified identity to redeem vouchers over $300.')).toBeVisible(),
    )
    await expect(card.getByRole('button', { name: 'Redeem voucher' })).toBeDisabled()
  })
})

test('a batch is voided: what was redeemed is paid, and the rest is refused to whoever has the code', async ({
  page,
  admin: { page: admin },
}) => {
  await signUp(page)
  const codes: string[] = []

  await test.step('three are made together, and one is redeemed', async () => {
    await admin.goto('/admin/vouchers')
    await generateBatch(admin, 3)
    const download = admin.waitForEvent('download')
    await admin
      .getByRole('region', { name: 'Just generated' })
      .getByRole('button', { name: 'Export CSV' })
      .click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n').slice(1)
    codes.push(...lines.map((line) => line.split(',')[0] ?? ''))
    expect(codes).toHaveLength(3)
    const asked = { code: codes[0], cryptoType: 'BTC', walletAddress: wallet }
    await new Caller(page).post('/api/vouchers/redeem', asked)
  })

  await test.step('the batch is found by the last digits of a code', async () => {
    await admin.goto('/admin/vouchers')
    await admin.getByLabel('Search', { exact: true }).fill(codes[1]?.slice(-4) ?? '')
    await expect(admin).toHaveURL(/q=\d{4}$/)
    const found = admin.locator('[data-row]').filter({ hasText: `•••• ${codes[1]?.slice(-4)}` })
    await found.first().getByRole('link').first().click()
    await expect(admin.getByRole('heading', { level: 1, name: batches.vouchers(3) })).toBeVisible()
    await expect(admin.getByRole('row', { name: `${states.active} 2 $50.00` })).toBeVisible()
  })

  await test.step('it is voided with a reason, and says what was left', async () => {
    await admin.getByRole('button', { name: batches.actions.void }).click()
    const dialog = admin.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: batches.actions.void })).toBeDisabled()
    await dialog.getByLabel(batches.reason).fill('Sent to the wrong list')
    await dialog.getByRole('button', { name: batches.actions.void }).click()
    await expect(admin.getByText(/^2 voided; 1 were redeemed/).first()).toBeVisible()
    await expect(admin.getByRole('row', { name: `${states.voided} 2 $50.00` })).toBeVisible()
    await expect(admin.getByRole('button', { name: batches.actions.void })).toHaveCount(0)
    await expect(admin.getByText('Sent to the wrong list').first()).toBeVisible()
  })

  await test.step('the redeemed one is paid; the others are refused', async () => {
    const card = page.locator('#voucher-redemption')
    await page.goto('/dashboard')
    for (const code of codes.slice(1)) {
      await card.getByLabel('Voucher code').fill(code)
      await card.getByRole('button', { name: 'Check voucher' }).click()
      await expect(card.getByText('Voucher code not found or already redeemed')).toBeVisible()
      await card.getByLabel('Voucher code').fill('')
    }
    await page.goto('/vouchers')
    await page.getByRole('link', { name: '$25.00' }).click()
    await expect(page.getByText('We sent your crypto')).toBeVisible()
    await expect(admin.getByRole('row', { name: `${states.paid} 1 $25.00` })).toBeVisible()
  })
})
