import type { Page } from '@playwright/test'
import { cards, payByCard, placeOrder } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { ownAmount } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { arm, temporalUiUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

async function paidOrder(page: Page, amount: string): Promise<{ id: string; reference: string }> {
  await verifiedCustomer(page)
  const id = await placeOrder(page, { amount })
  await payByCard(page, cards.good)
  await expect(page.getByText('Your payment is authorized')).toBeVisible()
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()
  return { id, reference }
}

test('a refused purchase fails with its error on the card, is retried by a person, and is sent', async ({
  page,
  admin,
}) => {
  const amount = ownAmount('BTC')
  await arm({
    provider: 'kraken',
    operation: 'AddOrder',
    match: amount,
    code: 'decline',
    arg: 'EOrder:Order minimum not met',
  })
  const { id, reference } = await paidOrder(page, amount)
  await admin.payments.open('?status=pending')
  await admin.payments.process(reference)
  await expect(admin.page.getByText('Payment Processed').first()).toBeVisible()
  await admin.orders.open(`?q=${id}`)
  await admin.orders.fulfill(reference)

  const card = admin.orders.card(reference)
  await expect(card.getByText('Failed', { exact: true })).toBeVisible()
  await shows('§2 orders: error details when failed', expect(card.getByText('Error details')).toBeVisible())

  await test.step('the customer reads what happened, without the words of the exchange', async () => {
    await expect(page.getByText('This order did not complete').first()).toBeVisible()
    const text = await page.getByRole('main').innerText()
    expect(text).not.toContain('EOrder')
    expect(text).not.toMatch(/kraken/i)
  })

  await test.step('Retry needs a reason, and leads on', async () => {
    await card.getByRole('button', { name: /^Retry/ }).click()
    const dialog = admin.page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Retry' })).toBeDisabled()
    await dialog.getByLabel('Reason').fill('The exchange takes the order again')
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await expect(card.getByText('Sent', { exact: true })).toBeVisible()
  })
  await expect(page.getByText(/is (on its way to|in) your wallet/)).toBeVisible()
})

test('attempts that did not work are counted on the card, and told to the customer in plain words', async ({
  page,
  admin,
}) => {
  const { id, reference } = await paidOrder(page, ownAmount('BTC'))
  const mend = await arm({
    provider: 'bitgo',
    operation: 'sendcoins',
    match: id,
    code: 'http:503_before',
    count: -1,
  })
  await admin.payments.open('?status=pending')
  await admin.payments.process(reference)
  await expect(admin.page.getByText('Payment Processed').first()).toBeVisible()
  await admin.orders.open(`?q=${id}`)
  await admin.orders.fulfill(reference)
  const card = admin.orders.card(reference)
  await shows('§2 orders: retry attempts', expect(card.getByText(/retry attempt/)).toBeVisible())
  await shows('§2 orders: the last error of a retry', expect(card.getByText(/^Last error:/)).toBeVisible())
  await mend()
  await expect(card.getByText('Sent', { exact: true })).toBeVisible({ timeout: 90_000 })
  const order = await (await page.request.get(`/api/orders/${id}`)).json()
  expect(order.metadata.retryCount).toBeGreaterThan(0)
})

test('an operator reads the order in the Temporal web UI', async ({ page, admin }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page)
  await admin.orders.open(`?q=${id}`)
  const link = admin.page.getByRole('link', { name: /Open workflow/ })
  const href = (await link.getAttribute('href')) ?? ''
  expect(href.startsWith(temporalUiUrl)).toBe(true)
  const context = await admin.page.context().browser()?.newContext()
  const ui = await context?.newPage()
  await ui?.goto(href)
  await expect(ui?.getByText(`order/${id}`).first() ?? page.locator('none')).toBeVisible()
  await context?.close()
})
