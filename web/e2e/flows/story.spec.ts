import { addresses, cards, enterCard, payByCard, placeOrder } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { signUpByHand, verifiedCustomer, verifyByHand } from '../fixtures/people'
import { expectToast } from '../fixtures/said'
import { siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

/**
 * The main scenario from end to end, as one person. Each step checks the server's state, not only the screen.
 */
test('a visitor signs up, verifies, buys by card with 3-D Secure, and is sent the coin', async ({
  page,
  admin,
}) => {
  await signUpByHand(page)
  await test.step('without a verified identity there is a banner, and no order', async () => {
    await page.getByRole('link', { name: 'Buy Crypto' }).first().click()
    await expect(page.getByText('KYC Verification Required')).toBeVisible()
  })
  await verifyByHand(page)

  let id = ''
  await test.step('the order is created and its page opens', async () => {
    id = await placeOrder(page, { asset: 'BTC', amount: '0.002', address: addresses.bitcoin })
  })
  const order = async () => (await page.request.get(`/api/orders/${id}`)).json()
  const reference: string = (await order()).reference
  expect((await order()).status).toBe('pending')

  await test.step('the hosted page asks the bank, and comes back authorised', async () => {
    await payByCard(page, cards.threeDSecure)
    await page.getByRole('button', { name: 'Complete authentication' }).click()
    await page.waitForURL(`${siteUrl}/orders/${id}**`)
    await expect(page.getByText('Your payment is authorized')).toBeVisible()
    expect((await order()).status).toBe('pending')
  })

  await test.step('the admin sees the card and captures', async () => {
    await admin.payments.open('?status=pending')
    const card = admin.payments.card(reference)
    await shows('§2 payments: the card by its brand and last4', expect(card).toContainText('Visa •••• 3220'))
    await shows('§2 payments: the payment intent', expect(card).toContainText(/pi_/))
    await admin.payments.process(reference)
    await expectToast(
      admin.page,
      'Payment Processed',
      'The payment has been successfully captured and charged.',
    )
    await shows(
      '§4 Process captures: pending becomes payment_approved',
      expect.poll(async () => (await order()).status).toBe('payment_approved'),
    )
  })

  await test.step("the customer's page follows by itself", async () => {
    await expect(page.getByText('Payment Approved').first()).toBeVisible()
  })

  await test.step('the admin fulfils; the whole address is repeated first', async () => {
    await admin.orders.open(`?q=${id}`)
    await admin.orders.card(reference).getByRole('button', { name: 'Fulfill' }).click()
    const dialog = admin.page.getByRole('dialog')
    await expect(dialog.getByTestId('full-address')).toHaveText(addresses.bitcoin)
    await dialog.getByRole('button', { name: 'Fulfill' }).click()
    await expectToast(admin.page, 'Fulfillment Started', 'Order fulfillment has been initiated')
  })

  await test.step('sent: the customer copies the transaction id', async () => {
    await expect(page.getByText('Sent', { exact: true }).first()).toBeVisible()
    const { txid } = await order()
    expect(txid).toMatch(/^[0-9a-f]{64}$/)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy Transaction ID' }).first().click()
    await expect(page.getByText('Copied!').first()).toBeVisible()
    await shows('§2 my orders: the transaction id is copied once sent', async () =>
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(txid),
    )
  })

  await test.step('the admin card shows exchange order and transfer', async () => {
    const card = admin.orders.card(reference)
    await expect(card).toContainText('Sent')
    await shows('§2 orders: the transfer id', expect(card).toContainText('Transfer ID'))
    await shows(
      '§2 orders: the exchange order id',
      expect(card.getByText('Exchange order').locator('..')).not.toContainText('Not yet'),
    )
  })

  await test.step('orders, wallet and transactions agree', async () => {
    await page.goto('/orders')
    await expect(page.getByRole('listitem').filter({ hasText: reference })).toContainText('Sent')
    await page.goto('/wallet')
    const delivered = page.getByRole('listitem').filter({ hasText: 'Delivered' })
    await expect(delivered.filter({ hasText: reference })).toContainText('Sent')
    await expect(delivered.getByText('Delivered', { exact: true }).first()).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Recent Withdrawals' })).toBeVisible()
    const transfer = page.getByRole('listitem').filter({ hasText: `Transfer for ${reference}` })
    const explorer = { name: /^View on the blockchain/ }
    await expect(transfer.getByRole('link', explorer)).toHaveAttribute('href', /[0-9a-f]{64}$/)
    const cut = transfer.locator('code').filter({ hasText: /^[0-9a-f]{16}$/ })
    expect(await cut.evaluate((code) => getComputedStyle(code, '::after').content), 'it is cut').toBe('"…"')
    await page.goto('/transactions')
    await expect(page.getByRole('row').getByRole('link', explorer)).toHaveAttribute('href', /[0-9a-f]{64}$/)
    await expect(page.getByText('Showing 1 of 1 transactions')).toBeVisible()
    await shows(
      '§2 transactions: the order among them',
      expect(page.getByRole('row').filter({ hasText: reference })).toContainText('Sent'),
    )
  })

  await test.step('the receipt is there to print', async () => {
    await page.goto(`/orders/${id}/receipt`)
    await expect(page.getByText(reference)).toBeVisible()
    await expect(page.getByText(addresses.bitcoin)).toBeVisible()
  })
})

test('a declined card charges nothing, and another card then pays', async ({ page, admin }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page)
  await payByCard(page, cards.declined)
  await expect(page.getByText(/declined/i).first()).toBeVisible()
  await enterCard(page, cards.good)
  await page.waitForURL(`${siteUrl}/orders/${id}**`)
  await expect(page.getByText('Your payment is authorized')).toBeVisible()
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()

  await test.step('the admin declines, with a reason', async () => {
    await admin.payments.open('?status=pending')
    await admin.payments.decline(reference, 'The name on the card is another')
    await expectToast(admin.page, 'Payment Declined', 'The payment has been declined.')
  })
  await expect(page.getByText('This order was declined').first()).toBeVisible()
  await expect(page.getByText('The name on the card is another')).toHaveCount(0)
  const order = await (await page.request.get(`/api/orders/${id}`)).json()
  expect(order.metadata.resolution).toBe('declined')
  expect(order.payment.capturedAt).toBeNull()
})

test('a customer cancels before paying', async ({ page }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page)
  await page.getByRole('button', { name: 'Cancel order' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click()
  await expect(page.getByText('This order was cancelled').first()).toBeVisible()
  const order = await (await page.request.get(`/api/orders/${id}`)).json()
  expect(order.metadata.resolution).toBe('cancelled')
  await page.goto('/transactions?status=failed')
  await expect(page.getByText('No transactions match your filters')).toBeVisible()
})
