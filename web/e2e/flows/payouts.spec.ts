import type { Page } from '@playwright/test'
import type { MoneyProposal } from '../../src/api/types.gen'
import { codeOf } from '../fixtures/authenticator'
import { approveCard, askPayout, confirmByMail, earn, fillPayout } from '../fixtures/balance'
import { addresses, placeOrder } from '../fixtures/buying'
import { newCardNumber, sellGiftCard } from '../fixtures/gift-cards'
import { asThird, Caller } from '../fixtures/orders'
import { signIn, verifiedCustomer } from '../fixtures/people'
import { decideAs } from '../fixtures/presses'
import { mailTo } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

const balanceOf = async (page: Page) =>
  (await (await page.request.get('/api/balance')).json()) as {
    balance: string
    reserved: string
    entries: { why: string }[]
  }

test('a payout is asked for, approved by two people, transferred, and sent back by the bank', async ({
  page,
  admin,
  browser,
}) => {
  const email = await verifiedCustomer(page)
  await earn(page, admin.page, '2000', true) // pays $1,695
  const staff = admin.page
  let id = ''

  await test.step('it is asked for from the balance; the last look repeats amount and account', async () => {
    await page.goto('/balance')
    await expect(page.getByTestId('available')).toHaveText('$1,695.00')
    await page.getByRole('link', { name: 'Pay out to your bank' }).click()
    await expect(page.getByLabel('Account holder')).toHaveValue('Casey Lin')
    await fillPayout(page, { amount: '1200' })
    const dialog = page.getByRole('dialog', { name: 'Pay out $1,200.00?' })
    await expect(dialog.getByText('9900 1122 6789')).toBeVisible()
    await expect(dialog.getByText('$495.00')).toBeVisible()
    await dialog.getByRole('button', { name: 'Pay out $1,200.00' }).click()
    await page.waitForURL(/\/payouts\/[0-9a-f-]{36}$/)
    id = page.url().split('/').at(-1) ?? ''
    await expect(page.getByText('Action needed: confirm by mail')).toBeVisible()
    await page.getByRole('button', { name: 'Send the link again' }).click()
    await expect(page.getByText('Link sent', { exact: true })).toBeVisible()
    await confirmByMail(page, email, /confirm payout/)
    await expect(page.getByText('We’re reviewing your payout')).toBeVisible()
    expect(page.url()).not.toContain('#confirm=')
    await expect(page.getByText('US account ••••6789')).toBeVisible()
    await expect(page.getByText('990011226789')).toHaveCount(0)
    expect(await balanceOf(page)).toMatchObject({ balance: '495.00', reserved: '1200.00' })
    expect((await mailTo(email, /reviewing your payout/)).text).not.toContain('99001122')
  })

  const { reference } = (await (await page.request.get(`/api/payouts/${id}`)).json()) as { reference: string }

  await test.step('it stands in the queue with its age; the bank details are revealed on demand', async () => {
    await staff.goto('/admin/payouts?status=requested')
    const row = staff.locator('[data-row]').filter({ hasText: reference })
    await expect(row.getByText('0 of 2')).toBeVisible()
    await expect(row.getByText('$1,200.00')).toBeVisible()
    await row.getByRole('link', { name: reference }).click()
    await expect(staff.getByText('990011226789')).toHaveCount(0)
    await staff.getByRole('button', { name: 'Reveal' }).click()
    await expect(staff.getByText('990011226789')).toBeVisible()
    await expect(staff.getByText('Staff viewed the bank details')).toBeVisible()
    await staff.getByRole('button', { name: 'Hide' }).click()
    await expect(staff.getByText('990011226789')).toHaveCount(0)
  })

  await test.step('one person is not enough above the limit', async () => {
    await decideAs(staff, 'Approve')
    await expect(staff.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(staff.getByText('One person has approved this payout.', { exact: false })).toBeVisible()
    await expect(staff.getByRole('button', { name: 'Approve' })).toHaveCount(0)
    const second = await (await browser.newContext()).newPage()
    await signIn(second, 'bob@example.com')
    await second.goto(`/admin/payouts/${id}`)
    await decideAs(second, 'Approve')
    await expect(page.getByText('Payout approved')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Cancel payout' })).toHaveCount(0)
    await second.context().close()
  })

  const bankReference = `FT-${newCardNumber()}`
  await test.step('the transfer is confirmed with the bank’s reference, which the customer reads', async () => {
    await staff.getByRole('button', { name: 'Confirm transfer' }).click()
    const dialog = staff.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Confirm transfer' })).toBeDisabled()
    await dialog.getByLabel('Bank reference').fill(bankReference)
    await dialog.getByRole('button', { name: 'Confirm transfer' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page.getByText('On its way to your bank')).toBeVisible()
    await expect(page.getByText(bankReference)).toBeVisible()
    await expect(page.getByText(/^Expected by .*\d$/)).toBeVisible()
    expect((await mailTo(email, /is on its way/)).text).toContain(bankReference)
    expect(await balanceOf(page)).toMatchObject({ balance: '495.00', reserved: '0.00' })
  })

  await test.step('the bank sends it back: the money is on the balance, and its history says why', async () => {
    await staff.getByRole('button', { name: 'Mark as returned' }).click()
    await expect(staff.getByText('One person can still credit $1,000.00', { exact: false })).toBeVisible()
    await staff.keyboard.press('Escape')
    await decideAs(staff, 'Mark as returned', { Reason: 'The account is closed.' })
    await expect(staff.getByText('has proposed to mark this transfer', { exact: false })).toBeVisible()
    await asThird(new Caller(staff), async (other) => {
      const waiting = await other.get<MoneyProposal[]>('/api/admin/money/proposals')
      const proposal = waiting.find(({ act }) => act.payoutId === id)
      await other.post(`/api/admin/money/proposals/${proposal?.id}/approve`)
    })
    await expect(page.getByText('Your bank returned the transfer')).toBeVisible()
    await expect(page.getByText('The account is closed.')).toBeVisible()
    await expect(staff.getByText('The bank details of this payout have been deleted.')).toBeVisible()
    await page.getByRole('link', { name: 'See your balance' }).click()
    await expect(page.getByTestId('available')).toHaveText('$1,695.00')
    await page
      .getByRole('row')
      .filter({ hasText: 'Payout returned by your bank' })
      .getByRole('link', { name: `Payout ${reference}` })
      .click()
    await expect(page).toHaveURL(new RegExp(`/payouts/${id}$`))
  })
})

test('cancelled by its customer or rejected, a payout is on the balance again', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await earn(page, admin.page, '200') // pays $165

  await test.step('cancelled while it waits', async () => {
    await askPayout(page, { amount: '100' })
    await page.getByRole('button', { name: 'Cancel payout' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('$100.00 to US account ••••6789', { exact: false })).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel payout' }).click()
    await expect(page.getByText('You cancelled this payout')).toBeVisible()
    expect(await balanceOf(page)).toMatchObject({ balance: '165.00', reserved: '0.00' })
  })

  await test.step('rejected with a reason that the customer reads', async () => {
    const id = await askPayout(page, { amount: '165', holder: 'Somebody Else' })
    await admin.page.goto(`/admin/payouts/${id}`)
    await expect(
      admin.page.getByText('Account holder differs from the verified name: Casey Lin.'),
    ).toBeVisible()
    await decideAs(admin.page, 'Reject', { Reason: 'The account is not in your name.' })
    await expect(page.getByText('We couldn’t make this payout')).toBeVisible()
    await expect(page.getByText('The account is not in your name.')).toBeVisible()
    await page.goto('/balance')
    await expect(page.getByTestId('available')).toHaveText('$165.00')
    await expect(page.getByRole('listitem').filter({ hasText: 'Rejected' })).toHaveCount(1)
    await expect(page.getByRole('listitem').filter({ hasText: 'Cancelled' })).toHaveCount(1)
    await expect(page.getByRole('row').filter({ hasText: 'Payout not made' })).toHaveCount(2)
  })
})

test('bar 23: amounts and accounts that cannot be are refused by field, and nothing is set aside', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  await test.step('nothing to pay out, and the page says so', async () => {
    await page.goto('/payouts/new')
    await expect(page.getByText('Your balance is too low for a payout')).toBeVisible()
  })
  await earn(page, admin.page, '200')
  const refused = async (amount: string, text: string) => {
    await fillPayout(page, { amount })
    await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible()
    await expect(page.getByLabel('Amount in USD')).toBeFocused()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  for (const [amount, text] of [
    ['', 'Enter an amount in dollars'],
    ['-5', 'Enter the amount without a plus or minus sign.'],
    ['0', 'Enter an amount above zero.'],
    ['1e2', 'Enter the amount in full, such as 1000 instead of 1e3.'],
    ['12.345', 'Enter at most 2 decimals for USD.'],
    ['€20', 'Enter the amount in USD, with no other currency or letters.'],
    ['NaN', 'Enter an amount such as 1234.50.'],
    ['9'.repeat(40), 'Enter an amount with fewer digits.'],
  ] as const)
    await test.step(`“${amount}”`, () => refused(amount, text))
  await refused('9.99', 'The minimum payout is $10.00')
  await refused('165.01', 'Your balance is $165.00')
  await refused('9'.repeat(20), 'Your balance is $165.00')

  await test.step('the account is checked as well', async () => {
    await fillPayout(page, { amount: '$20', holder: ' ', routing: '021000022', account: '12' })
    await expect(page.getByText('Enter the name of the account holder')).toBeVisible()
    await expect(page.getByText('Check the routing number for a typo')).toBeVisible()
    await expect(page.getByText('Enter an account number with 4 to 17 digits')).toBeVisible()
    await page.getByText('Other countries').click()
    await page.getByLabel('Account holder').fill('Casey Lin')
    await page.getByLabel('IBAN', { exact: true }).fill('DE88 3704 0044 0532 0130 00')
    await page.getByRole('button', { name: 'Review payout' }).click()
    await expect(page.getByText('Check the IBAN for a typo')).toBeVisible()
  })

  await test.step('what only the server knows is said at its field', async () => {
    await page.getByLabel('IBAN', { exact: true }).fill('ZZ22 3704 0044 0532 0130 00')
    await page.getByRole('button', { name: 'Review payout' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pay out $20.00' }).click()
    await expect(page.getByText('Check the length and country code of the IBAN')).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  expect(await balanceOf(page)).toMatchObject({ balance: '165.00', reserved: '0.00' })
  expect(await (await page.request.get('/api/payouts')).json()).toEqual([])
})

test('bar 11: with a second factor, a payout asks for a fresh code', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await earn(page, admin.page, '200')
  await page.goto('/settings/2fa')
  await page.getByRole('button', { name: 'Set up' }).click()
  const secret = (await page.locator('main code').innerText()).trim()
  await page.getByLabel('Verification code').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Verify and turn on' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'I’ve saved them' }).click()

  await fillPayout(page, { amount: '20' })
  await page.getByRole('button', { name: 'Pay out $20.00' }).click()
  const code = page.getByLabel('Code from your authenticator app')
  await code.fill('000000')
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(page.getByText('Invalid verification code')).toBeVisible()
  expect(await (await page.request.get('/api/payouts')).json()).toEqual([])
  await code.fill(codeOf(secret, 1))
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.waitForURL(/\/payouts\/[0-9a-f-]{36}$/)
  await expect(page.getByText('We’re reviewing your payout')).toBeVisible()
})

test('a gift card is sold, and what it paid buys bitcoin', async ({ page, admin }) => {
  const email = await verifiedCustomer(page)
  const card = await sellGiftCard(page, { value: '400' }) // pays $335

  await test.step('approved, it is on the balance', async () => {
    await asThird(new Caller(admin.page), (who) => approveCard(who, card, '400'))
    await page.goto('/balance')
    await expect(page.getByTestId('available')).toHaveText('$335.00')
    await page.getByRole('link', { name: /^Gift card G/ }).click()
    await expect(page.getByText('We approved your card')).toBeVisible()
  })

  let id = ''
  await test.step('it pays for an order once the new address is confirmed by the mailed link', async () => {
    id = await placeOrder(page, {
      asset: 'BTC',
      amount: '0.002',
      method: 'Account balance',
      address: addresses.bitcoin,
    })
    await expect(page.getByText('Action needed: confirm by mail')).toBeVisible()
    await confirmByMail(page, email, /confirm order/)
    await expect(page.getByText('Payment Approved').first()).toBeVisible()
  })
  const order = async () =>
    (await (await page.request.get(`/api/orders/${id}`)).json()) as {
      reference: string
      quoteFiat: string
      txid: string
    }
  const { reference, quoteFiat } = await order()
  expect(Number((await balanceOf(page)).balance)).toBeCloseTo(335 - Number(quoteFiat), 2)

  await test.step('sent to the wallet; the balance says for which order', async () => {
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await expect(page.getByText('Sent', { exact: true }).first()).toBeVisible()
    expect((await order()).txid).toMatch(/^[0-9a-f]{64}$/)
    await page.goto('/balance')
    const row = page.getByRole('row').filter({ hasText: 'Order paid from your balance' })
    await expect(row).toContainText(`−$${quoteFiat}`)
    await row.getByRole('link', { name: `Order ${reference}` }).click()
    await expect(page).toHaveURL(new RegExp(`/orders/${id}$`))
  })
})
