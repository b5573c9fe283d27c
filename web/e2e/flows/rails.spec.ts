import { deflateSync } from 'node:zlib'
import { placeOrder } from '../fixtures/buying'
import { verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

/** A real PNG, 64 × 64, one colour: the server re-encodes what it gets. */
function picture(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const out = Buffer.alloc(body.length + 8)
    out.writeUInt32BE(data.length, 0)
    body.copy(out, 4)
    out.writeUInt32BE(crc(body), body.length + 4)
    return out
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(64, 0)
  header.writeUInt32BE(64, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc(64 * (1 + 64 * 3), 200)
  for (let row = 0; row < 64; row += 1) rows[row * 193] = 0
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc(data: Buffer): number {
  let value = 0xffffffff
  for (const byte of data) {
    value ^= byte
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

test('a wire: instructions, reference, receipt, and the receipt confirmed', async ({ page, admin }) => {
  test.setTimeout(150_000)
  await verifiedCustomer(page)
  const id = await placeOrder(page, { method: 'Domestic wire' })
  const read = async () => (await page.request.get(`/api/orders/${id}`)).json()
  const { reference, total } = await read()

  await test.step('the page says how to pay, with a reference to copy and a deadline', async () => {
    await expect(page.getByRole('heading', { name: 'How to pay' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Copy Reference' })).toBeVisible()
    await expect(page.getByText('Pay before')).toBeVisible()
  })

  await test.step('a receipt is uploaded; a text file is refused', async () => {
    const chooser = page.locator('input[type=file]').first()
    await chooser.setInputFiles({ name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
    await expect(page.getByText('Only JPEG and PNG pictures can be uploaded.')).toBeVisible()
    await chooser.setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: picture() })
    await expect(page.getByText('We have your picture.').first()).toBeVisible()
    await expect.poll(async () => (await read()).payment.evidence.length).toBe(1)
  })

  await test.step('the admin sees it, and confirms what the bank statement says', async () => {
    await admin.payments.open('?method=domestic_wire')
    const card = admin.payments.card(reference)
    await expect(card).toContainText('N/A')
    await expect(card.getByRole('button', { name: 'Process' })).toHaveCount(0)
    await card.getByRole('button', { name: 'Details' }).click()
    const details = admin.page.getByRole('dialog')
    const image = details.getByRole('img', { name: 'Receipt photo' })
    await expect(image).toBeVisible()
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0)
    await details.getByRole('button', { name: 'Close' }).click()

    await card.getByRole('button', { name: 'Confirm receipt' }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Confirm receipt' }).click()
    await expect(dialog.getByText('This is needed.')).toBeVisible()
    await dialog.getByLabel('Amount received (USD)').fill(total)
    await dialog.getByLabel('Bank reference').fill(`FED-${id.slice(0, 13)}`)
    await dialog.getByRole('button', { name: 'Confirm receipt' }).click()
    await expect(admin.page.getByText('Receipt confirmed').first()).toBeVisible()
  })
  await expect(page.getByText('Payment Approved').first()).toBeVisible({ timeout: 30_000 })
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
  await expect(page.getByText('This order was declined').first()).toBeVisible({ timeout: 30_000 })
})
