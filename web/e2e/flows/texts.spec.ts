import { codeOf } from '../fixtures/authenticator'
import { shows } from '../fixtures/expect'
import { newCardNumber } from '../fixtures/gift-cards'
import { isLive, signUp } from '../fixtures/people'
import { expectToast, lose } from '../fixtures/said'
import { expect, test } from '../fixtures/test'

test('the dashboard has the specification’s sections in its order, and its quick actions lead to them', async ({
  page,
}) => {
  await signUp(page)
  const main = page.getByRole('main')
  const sections = [
    main.getByText('Account Balance', { exact: true }),
    main.getByRole('navigation', { name: 'Quick Actions' }),
    main.getByRole('heading', { name: 'Identity Verification' }),
    main.locator('#crypto-swap'),
    main.locator('#gift-cards'),
    main.locator('#voucher-redemption'),
    main.getByRole('heading', { name: 'Recent Transactions' }),
    main.locator('#support'),
  ]
  await expect(main.locator('#support').getByLabel('Message')).toBeVisible()
  await expect(main.locator('#gift-cards').getByLabel('Brand')).toBeVisible()
  const places = await Promise.all(sections.map((section) => section.boundingBox()))
  const tops = places.map((place) => place?.y ?? Number.NaN)
  expect(tops).toEqual([...tops].sort((a, b) => a - b))
  expect(places[3]?.y, 'purchase and trade stand side by side').toBe(places[4]?.y)
  await expect(main.getByText('Not Verified', { exact: true }).first()).toBeVisible()
  await expect(main.getByText('Verify your identity to unlock higher trading limits.')).toBeVisible()
  await expect(main.getByRole('link', { name: 'Start Verification' })).toHaveAttribute('href', '/kyc')
  for (const name of ['Account Balance', 'Active Trades', 'KYC Status'])
    await expect(main.getByText(name, { exact: true })).toBeVisible()
  for (const [name, anchor] of [
    ['Crypto Swap', 'crypto-swap'],
    ['Gift Cards', 'gift-cards'],
    ['Redeem Voucher', 'voucher-redemption'],
    ['Send Money', 'send-money'],
  ]) {
    await expect(main.getByRole('link', { name, exact: true })).toBeVisible()
    await main.getByRole('link', { name, exact: true }).click()
    await shows('§2 the specification’s anchors of the quick actions stand on the dashboard', async () => {
      await expect(page).toHaveURL(new RegExp(`#${anchor}$`))
      await expect(main.locator(`#${anchor}`)).toBeInViewport()
    })
  }
  await expect(
    main.locator('#send-money').getByRole('link', { name: 'Send your balance to your bank' }),
  ).toHaveAttribute('href', '/payouts/new')
  // By its address on a phone, which lays out what is further down only when the window comes near it.
  await page.setViewportSize({ width: 390, height: 844 })
  for (const anchor of ['gift-cards', 'voucher-redemption', 'send-money']) {
    await page.goto('about:blank')
    await page.goto(`/dashboard#${anchor}`)
    await isLive(page)
    await expect(main.locator(`#${anchor}`).getByRole('heading')).toBeInViewport()
  }
  await page.goto('about:blank')
  await page.goto('/dashboard')
  const fold = main.getByRole('button', { name: 'Enter a gift card' })
  await expect(fold).toHaveAttribute('aria-expanded', 'false')
  await expect(main.locator('#gift-cards').getByLabel('Brand')).toBeHidden()
  await fold.click()
  await expect(main.locator('#gift-cards').getByLabel('Brand')).toBeVisible()
  // What comes late takes the place that was kept for it: nothing below moves.
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/gift-cards/catalogue', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('about:blank')
  await page.goto('/dashboard#gift-cards')
  const card = main.locator('#gift-cards')
  const height = async () => (await card.boundingBox())?.height ?? 0
  await expect(card.getByRole('heading', { name: 'Sell a gift card' })).toBeInViewport()
  const before = await height()
  answer()
  await expect(card.getByLabel('Brand')).toBeVisible()
  expect(Math.abs((await height()) - before)).toBeLessThan(32)
})

test('specification §8: what the dashboard says when a call is lost', async ({ page }) => {
  await signUp(page)
  const card = page.locator('#gift-cards')
  await card.getByLabel('Brand').selectOption({ label: 'Amazon' })
  await card.getByLabel('Value in USD').fill('50')
  await card.getByLabel('Card number').fill(newCardNumber())
  await card.getByLabel('PIN').fill('4711')
  await lose(page, '/api/gift-cards')
  await card.getByRole('button', { name: 'Submit for review' }).click()
  await expectToast(page, 'Failed to submit gift card')
  await card.getByRole('button', { name: 'Submit for review' }).click()
  await expectToast(page, 'Gift card submitted for review')

  const support = page.locator('#support')
  await support.getByLabel('Subject').selectOption('general')
  await support.getByLabel('Message').fill('Hello')
  await lose(page, '/api/support/tickets')
  await support.getByRole('button', { name: 'Send' }).click()
  await expectToast(page, 'Failed to submit support ticket')
})

test('specification §4, §8: what the identity screen says of the widget, and when a call is lost', async ({
  page,
}) => {
  await signUp(page)
  await page.goto('/kyc')
  const start = page.getByRole('button', { name: 'Start Verification' })
  await lose(page, '/api/kyc/token')
  await start.click()
  await expectToast(page, 'Error', 'Failed to start verification process. Please try again.')
  await lose(page, '/websdk/api/launch')
  await start.click()
  await expectToast(page, 'Verification Error', 'There was an error during verification. Please try again.')
  await expect(page.locator('iframe')).toHaveCount(0)
  await start.click()
  await expectToast(page, 'Verification Started')
  const widget = page.frameLocator('iframe[src*="websdk"]')
  await widget.getByRole('button', { name: 'Continue' }).click()
  await widget.getByRole('button', { name: 'Use this sample photo' }).click()
  await widget.getByRole('button', { name: 'Use this sample selfie' }).click()
  await widget.getByRole('button', { name: 'Submit for review' }).click()
  await expectToast(page, 'Documents Submitted')
})

test('specification §8: every toast of the second factor, and of copying', async ({ page }) => {
  await signUp(page)
  await page.goto('/settings/2fa')
  const sent: [path: string, token: string | undefined][] = []
  page.on('request', (request) => {
    if (request.method() === 'POST')
      sent.push([new URL(request.url()).pathname, request.headers()['x-csrf-token']])
  })
  await lose(page, '/api/2fa/setup')
  await page.getByRole('button', { name: 'Set up' }).click()
  await expectToast(page, 'Setup Failed', 'Failed to set up 2FA')
  await page.getByRole('button', { name: 'Set up' }).click()
  await expectToast(page, '2FA Setup Initiated')
  await shows('§7 x-csrf-token goes with the second factor alone', () => {
    expect(sent.length).toBeGreaterThan(0)
    for (const [path, token] of sent) expect(token !== undefined, path).toBe(path?.startsWith('/api/2fa/'))
  })

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  await page.getByRole('button', { name: 'Copy secret' }).click()
  await expectToast(page, 'Error', 'Failed to copy to clipboard')

  const secret = (await page.locator('main code').innerText()).trim()
  const code = page.getByLabel('Verification code')
  await code.fill('000000')
  await lose(page, '/api/2fa/verify')
  await page.getByRole('button', { name: 'Verify and turn on' }).click()
  await expectToast(page, 'Verification Failed', 'Invalid verification code')
  await code.fill(codeOf(secret))
  await page.getByRole('button', { name: 'Verify and turn on' }).click()
  await expectToast(page, '2FA Enabled')
  await page.getByRole('button', { name: 'I’ve saved them' }).click()

  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Confirm' })
  await page.getByRole('button', { name: 'Regenerate backup codes' }).click()
  await confirm.click()
  await expect(dialog.getByText('Code required')).toBeVisible()
  await dialog.getByRole('textbox').fill(codeOf(secret, 1))
  await lose(page, '/api/2fa/regenerate-backup-codes')
  await confirm.click()
  await expectToast(page, 'Regeneration Failed', 'Failed to regenerate backup codes')
  await confirm.click()
  await expectToast(page, 'Backup Codes Regenerated')
  const backup = await dialog.getByTestId('backup-code').first().innerText()
  await page.getByRole('button', { name: 'I’ve saved them' }).click()

  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByRole('textbox').fill(backup)
  await lose(page, '/api/2fa/disable')
  await confirm.click()
  await expectToast(page, 'Disable Failed')
  await confirm.click()
  await expectToast(page, '2FA Disabled')
  await expect(page.getByText('Two-factor authentication is off')).toBeVisible()
})
