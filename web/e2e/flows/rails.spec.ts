import { placeOrder } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { verifiedCustomer } from '../fixtures/people'
import { picture } from '../fixtures/picture'
import { expect, test } from '../fixtures/test'

test('a wire: instructions, reference, receipt, and the receipt confirmed', async ({ page, admin }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page, { method: 'Domestic wire' })
  const read = async () => (await page.request.get(`/api/orders/${id}`)).json()
  const { reference, total } = await read()

  await test.step('the page says how to pay, with a reference to copy and a deadline', async () => {
    await expect(page.getByRole('heading', { name: 'How to pay' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Copy Reference' })).toBeVisible()
    await expect(page.getByText('Pay before')).toBeVisible()
    const { payment } = await read()
    const amount = payment.instructions.find(({ value }: { value: string }) => value === `$${total}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: `Copy ${amount.label}` }).click()
    await expect(page.getByText('Copied!').first()).toBeVisible()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied, 'a bank’s form takes the number alone').toBe(total)
  })

  await test.step('a receipt is uploaded; a text file is refused', async () => {
    const chooser = page.locator('input[type=file]').first()
    await chooser.setInputFiles({ name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
    await expect(page.getByText('Choose a JPEG or PNG picture, or a PDF.').first()).toBeVisible()
    await chooser.setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: picture() })
    await expect(page.getByText('We have your file.').first()).toBeVisible()
    await expect.poll(async () => (await read()).payment.evidence.length).toBe(1)
  })

  await test.step('the admin sees it, and confirms what the bank statement says', async () => {
    await admin.payments.open('?method=domestic_wire')
    const card = admin.payments.card(reference)
    await shows('§2 payments: N/A without a card', expect(card).toContainText('N/A'))
    await shows(
      '§2 payments: Process only with a payment intent',
      expect(card.getByRole('button', { name: 'Process' })).toHaveCount(0),
    )
    await card.getByRole('button', { name: 'Details' }).click()
    const details = admin.page.getByRole('dialog')
    const image = details.getByRole('img', { name: 'Receipt photo' })
    await shows('§2 payments: details show the evidence', expect(image).toBeVisible())
    await expect
      .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
      .toBeGreaterThan(0)
    await details.getByRole('button', { name: 'Close' }).click()

    await card.getByRole('button', { name: 'Confirm receipt' }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Confirm receipt' }).click()
    await expect(dialog.getByText('Fill in this field.')).toBeVisible()
    await dialog.getByLabel('Amount received (USD)').fill(total)
    // The bank may be where the day begins first.
    const day = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)
    await dialog.getByLabel('Received on').fill(day)
    await dialog.getByLabel('Bank reference').fill(` FED\u2011${id.slice(0, 13)}\u200b`)
    await dialog.getByRole('button', { name: 'Confirm receipt' }).click()
    await expect(admin.page.getByText('Receipt confirmed').first()).toBeVisible()
  })
  await expect(page.getByText('Payment Approved').first()).toBeVisible()
  expect((await read()).status).toBe('payment_approved')
})

test('a transfer that never came is rejected, with a reason', async ({ page, admin }) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page, { method: 'Zelle' })
  const { reference } = await (await page.request.get(`/api/orders/${id}`)).json()
  await admin.payments.open('?status=pending')
  await admin.payments.card(reference).getByRole('button', { name: 'Reject' }).click()
  const dialog = admin.page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Reject payment' })).toBeDisabled()
  await dialog.getByLabel('Reason').fill('No such transfer on the statement')
  await dialog.getByRole('button', { name: 'Reject payment' }).click()
  await expect(admin.page.getByText('The payment has been rejected.').first()).toBeVisible()
  await expect(page.getByText('This order was declined').first()).toBeVisible()
})
