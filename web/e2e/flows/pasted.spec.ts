import { addressTexts } from '../../src/messages/buy'
import { addresses, placeOrder } from '../fixtures/buying'
import { mailedCode, newEmail, password, signIn, signUp, verifiedCustomer } from '../fixtures/people'
import { identityUrl, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/*
 * What clipboards, browsers and impatient people bring. What can be understood is understood, nothing is cut, and a
 * step that is finished leads on.
 */

test('pasted: an address, a card, codes and a long message are understood, and nothing is cut', async ({
  page,
}) => {
  await signUp(page)

  await test.step('an address in groups, with what cannot be seen, and one in a link in capitals', async () => {
    await page.goto('/buy')
    const field = page.getByLabel('Wallet address')
    await field.fill(` ${addresses.bitcoin.replace(/(.{4})/g, '$1\u00a0')}`)
    await expect(field).toHaveValue(addresses.bitcoin)
    await expect(page.getByText('Bitcoin network · SegWit address')).toBeVisible()
    await field.fill(`${addresses.bitcoin.slice(0, 9)}\u200b${addresses.bitcoin.slice(9)}`)
    await expect(field).toHaveValue(addresses.bitcoin)
    await expect(page.getByText(addressTexts.removed)).toBeVisible()
    await field.fill(`BITCOIN:${addresses.bitcoin.toUpperCase()}?AMOUNT=0.5`)
    await expect(field).toHaveValue(addresses.bitcoin.toUpperCase())
    await expect(page.getByText('This link requests 0.5 BTC.', { exact: false })).toBeVisible()
  })

  await test.step('the number of a card with any separators, and its date in any order', async () => {
    await page.goto('/dashboard#gift-cards')
    const cards = page.locator('#gift-cards')
    await cards.getByLabel('Brand').selectOption({ label: 'Visa' })
    const number = '  4242\u20114242\u00a04242  4242 '
    await cards.getByLabel('Card number').fill(number)
    await expect(cards.getByLabel('Card number')).toHaveValue(number)
    await expect(cards.getByText('at most 19 characters')).toHaveCount(0)
    const expires = cards.getByLabel('Expiration date')
    for (const date of ['09/2030', '2030-09', '０９／３０']) {
      await expires.fill(date)
      await expect(expires).toHaveValue('09/30')
    }
    await expires.fill('')
    await expires.pressSequentially('09/30')
    await expect(expires).toHaveValue('09/30')
  })

  await test.step('the code of a voucher; one too long is refused, not cut to another’s', async () => {
    await page.goto('/dashboard#voucher-redemption')
    const field = page.locator('#voucher-code')
    await field.fill(' 1234\u20115678\u00a09012\u200b 3456')
    await expect(field).toHaveValue('1234-5678-9012-3456')
    await field.fill('1234 5678 9012 3456 7')
    await expect(field).toHaveValue('1234-5678-9012-3456-7')
    await expect(page.locator('#voucher-redemption').getByText('valid 16-digit voucher code')).toBeVisible()
  })

  await test.step('the code of an authenticator app', async () => {
    await page.goto('/settings/2fa')
    await page.getByRole('button', { name: 'Set up' }).click()
    const field = page.getByLabel('Verification code')
    for (const code of ['123 456', ' 123456', '123-456', '１２３\u2011４５６\u200b']) {
      await field.fill(code)
      await expect(field).toHaveValue('123456')
    }
    await field.fill('1234567')
    await expect(page.getByRole('button', { name: 'Verify and turn on' })).toBeDisabled()
  })

  await test.step('a message that is too long stays whole and is not sent', async () => {
    await page.goto('/support')
    await page.getByLabel('Subject').selectOption('general')
    const message = page.getByLabel('Message')
    await message.fill('x'.repeat(5507))
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/tickets')) sent += 1
    })
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Message: 5,507 characters, at most 5,000. Remove 507.')).toBeVisible()
    await expect(message).toBeFocused()
    expect((await message.inputValue()).length).toBe(5507)
    expect(sent).toBe(0)
  })
})

test('a sign-in that is finished leads on: Back, its page again, and a tab that had begun one before', async ({
  page,
  browser,
}) => {
  const email = await signUp(page)
  const context = await browser.newContext()
  const [first, second] = [await context.newPage(), await context.newPage()]
  const pages: string[] = []
  for (const tab of [first, second]) {
    await tab.goto(`${siteUrl}/api/login?returnTo=/orders`)
    await tab.waitForURL(`${identityUrl}/**`)
    pages.push(tab.url())
  }
  const orders = (tab: typeof page) =>
    expect(tab.getByRole('heading', { level: 1, name: 'My Orders' })).toBeVisible()
  const enter = async (tab: typeof page) => {
    await tab.getByLabel('E-mail').fill(email)
    await tab.getByLabel('Password', { exact: true }).fill(password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL(`${siteUrl}/orders`)
    await orders(tab)
  }
  await enter(first)
  await first.goBack()
  await first.waitForURL(`${siteUrl}/orders`)
  await orders(first)
  await first.goto(pages[0] ?? '')
  await first.waitForURL(`${siteUrl}/orders`)
  await orders(first)
  await enter(second)
  await context.close()
})

/** A page and a script, without a table of what is where. */
const receipt = `%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (canary) >> >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>
endobj
trailer
<< /Root 1 0 R /Size 4 >>
%%EOF
`

/** EXIF data of a camera that was held sideways (orientation 6), as a segment of a JPEG. */
const sideways = Buffer.from(
  'ffe10022457869660000' + '4d4d002a00000008000101120003000000010006000000000000',
  'hex',
)

test('a bank’s receipt is kept as a document without its script, and a sideways picture as it is seen', async ({
  page,
}) => {
  await verifiedCustomer(page)
  const id = await placeOrder(page, { method: 'Domestic wire' })
  const chooser = page.locator('input[type=file]').first()
  /** What is kept of one type: its address, and the file. */
  const kept = async (type: string) => {
    const { payment } = await (await page.request.get(`/api/orders/${id}`)).json()
    for (const { url } of payment.evidence) {
      const file = await page.request.get(url)
      if (file.headers()['content-type'] === type) return { url, file }
    }
    return undefined
  }
  await chooser.setInputFiles({
    name: 'receipt.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from(receipt),
  })
  await expect(page.getByText('We have your file.').first()).toBeVisible()
  const paper = await kept('application/pdf')
  expect(paper?.file.headers()['content-disposition']).toContain('attachment')
  expect(await paper?.file.text()).not.toContain('canary')

  const drawn = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 40
    canvas.height = 20
    canvas.getContext('2d')?.fillRect(0, 0, 40, 20)
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? ''
  })
  const jpeg = Buffer.from(drawn, 'base64')
  await chooser.setInputFiles({
    name: 'photo.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.concat([jpeg.subarray(0, 2), sideways, jpeg.subarray(2)]),
  })
  await expect.poll(() => kept('image/jpeg')).toBeDefined()
  const url = (await kept('image/jpeg'))?.url
  const size = await page.evaluate(async (src) => {
    const picture = new Image()
    picture.src = src
    await picture.decode()
    return [picture.naturalWidth, picture.naturalHeight]
  }, url)
  expect(size).toEqual([20, 40])
})

test('a name, an address and a password are taken as people have and type them', async ({
  page,
  browser,
}) => {
  const [local = ''] = newEmail().split('@')
  const composed = 'violet-harbour-ma\u00f1ana-41'
  await page.goto(`${siteUrl}/api/login?screen=signup`)
  await page.waitForURL(`${identityUrl}/signup**`)
  await page.getByLabel('E-mail').fill(`${local}@bücher.example`)
  await page.getByLabel('Password', { exact: true }).fill(composed.normalize('NFD'))
  await page.locator('[name=given_name]').fill('Col·lell')
  await page.locator('[name=family_name]').fill('می\u200cخواهم')
  await page.getByLabel('Country').selectOption('US')
  await page.locator('#adult').check()
  await page.locator('#terms').check()
  await page.getByRole('button', { name: 'Create account' }).click()
  const code = await mailedCode(`${local}@xn--bcher-kva.example`)
  await page.getByLabel('Code from the e-mail').fill(` ${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('button', { name: 'Confirm and continue' }).click()
  await page.waitForURL(`${siteUrl}/**`)
  await page.goto('/settings/profile')
  await expect(page.getByLabel('First name')).toHaveValue('Col·lell')
  await expect(page.getByLabel('Last name')).toHaveValue('می\u200cخواهم')

  const context = await browser.newContext()
  await signIn(await context.newPage(), `${local.toUpperCase()}@XN--BCHER-KVA.example`, composed)
  await context.close()
})
