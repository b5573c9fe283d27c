import type { Page } from '@playwright/test'
import { cardsWidth } from '../fixtures/admin'
import { codeOf } from '../fixtures/authenticator'
import { shows } from '../fixtures/expect'
import { newCardNumber, sellGiftCard } from '../fixtures/gift-cards'
import { forget, newStaff, password, signIn, signUp } from '../fixtures/people'
import { expectToast, lose } from '../fixtures/said'
import { mailTo, operator, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/** Sets the second factor up where the button for it stands, and gives its secret. */
async function enrol(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Set up' }).click()
  await expect(page.getByAltText('QR code for your authenticator app')).toBeVisible()
  const secret = (await page.locator('code').first().innerText()).trim()
  await page.getByLabel('Verification code').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Verify and turn on' }).click()
  await expect(page.getByTestId('backup-code')).toHaveCount(10)
  return secret
}

test('two-factor: set up, sign out, sign in through the blocking dialog with a code and with a backup code', async ({
  page,
}) => {
  const email = await signUp(page)
  let secret = ''
  let codes: string[] = []

  await test.step('bar 13: it is set up with a secret, a code, and backup codes shown once', async () => {
    await page.goto('/settings/2fa')
    await page.getByRole('button', { name: 'Set up' }).click()
    await expect(page.getByText('2FA Setup Initiated').first()).toBeVisible()
    await shows(
      '§2 2FA: a QR code and the secret beside it',
      expect(page.getByAltText('QR code for your authenticator app')).toBeVisible(),
    )
    secret = (await page.locator('main code').innerText()).trim()
    await page.getByLabel('Verification code').fill(codeOf(secret))
    await page.getByRole('button', { name: 'Verify and turn on' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByTestId('backup-code')).toHaveCount(10)
    codes = await dialog.getByTestId('backup-code').allInnerTexts()
    await page.keyboard.press('Escape')
    await expect(dialog.getByTestId('backup-code'), 'they are not shown again').toHaveCount(10)
    const download = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'Download' }).click()
    await shows('§9 backup codes: downloaded as {product}-backup-codes.txt', async () =>
      expect((await download).suggestedFilename()).toBe('tradepost-backup-codes.txt'),
    )
    await dialog.getByRole('button', { name: 'I’ve saved them' }).click()
    await expect(page.getByText('Two-factor authentication is on')).toBeVisible()
    await expect(page.getByText('10 of your backup codes are unused.')).toBeVisible()
    expect((await mailTo(email, /authentication is on/)).text).not.toContain(secret)
  })

  const signInAgain = async () => {
    await forget(page)
    await signIn(page, email, password)
    await expect(page.getByRole('dialog', { name: 'Confirm your sign-in' })).toBeVisible()
    expect((await page.request.get(`${siteUrl}/api/orders`)).status()).toBe(403)
  }

  await test.step('a code of the app ends the next sign-in; nothing closes the dialog before', async () => {
    await signInAgain()
    await page.keyboard.press('Escape')
    const dialog = page.getByRole('dialog')
    await shows(
      '§2 the blocking dialog: six digits enable it',
      expect(dialog.getByRole('button', { name: 'Verify' })).toBeDisabled(),
    )
    await dialog.getByLabel('Verification code').fill(codeOf(secret, 1).replace(/(\d{3})/, ' $1\u00a0'))
    await dialog.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  await test.step('a backup code does it once', async () => {
    await signInAgain()
    await page.getByRole('tab', { name: 'Backup Code' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('Backup Code')
      .last()
      .fill(` ${(codes[0] ?? '').toLowerCase()}`)
    await lose(page, '/api/2fa/login-verify')
    await dialog.getByRole('button', { name: 'Verify' }).click()
    await expectToast(page, 'Verification Failed', 'Invalid code')
    const told = expectToast(page, 'Verification Successful', 'Regenerate your codes')
    await dialog.getByRole('button', { name: 'Verify' }).click()
    await shows('§8 a backup code used: a note to regenerate them', told)
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
    await page.goto('/settings/security')
    await expect(page.getByText('This device')).toBeVisible()
    await page.getByRole('button', { name: 'Sign out all others' }).click()
    await expect(page.getByText('Signed out', { exact: true }).first()).toBeVisible()
    await page.getByRole('link', { name: 'Manage' }).click()
    await shows(
      '§9 a backup code counts once',
      expect(page.getByText('9 of your backup codes are unused.')).toBeVisible(),
    )
  })

  await test.step('a copy of one’s data asks for a fresh code in the dialog, before anything is refused', async () => {
    await page.goto('/settings/privacy')
    await page.getByRole('button', { name: 'Request a copy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Enter a new code' })
    await expect(dialog).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await dialog.getByRole('textbox').fill(codes[1] ?? '')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page.getByText(/We’re preparing your data|Your copy is ready/)).toBeVisible()
  })
})

test('bar 36: an enrolled reviewer sees what is printed on a card only with a code that was not used yet', async ({
  page,
  browser,
}) => {
  await signUp(page)
  const code = newCardNumber()
  const card = await sellGiftCard(page, { value: '60', code })
  const context = await browser.newContext()
  const reviewer = await context.newPage()
  await newStaff(reviewer, 'compliance')
  await reviewer.goto('/settings/2fa')
  const secret = await enrol(reviewer)
  const used = codeOf(secret)
  await reviewer.getByRole('button', { name: 'I’ve saved them' }).click()

  await reviewer.goto(`/admin/gift-cards/${card}`)
  await reviewer.getByRole('button', { name: 'Reveal' }).click()
  const dialog = reviewer.getByRole('dialog', { name: 'Enter a new code' })
  const field = dialog.getByLabel('Code from your authenticator app, or a backup code')

  await test.step('the code of the set-up is worth nothing a second time', async () => {
    await expect(dialog.getByRole('button', { name: 'Confirm' })).toBeDisabled()
    await field.fill(used)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(dialog.getByText('Invalid verification code')).toBeVisible()
    await expect(reviewer.getByText(code)).toHaveCount(0)
  })

  await test.step('closing the dialog reveals nothing', async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(reviewer.getByText(code)).toHaveCount(0)
  })

  await test.step('a fresh one reveals it, and the card’s story says so', async () => {
    await reviewer.getByRole('button', { name: 'Reveal' }).click()
    await field.fill(codeOf(secret, 1))
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(reviewer.getByText(code)).toBeVisible()
    await expect(reviewer.getByText('A reviewer viewed the card details')).toBeVisible()
  })
  await context.close()
})

test('staff set a second factor up before anything else where the configuration demands it', async ({
  page,
  siteWith,
}) => {
  const site = await siteWith({ ADMIN_SECOND_FACTOR: 'true' })
  await newStaff(page, 'admin')
  await page.goto(`${site}/admin/orders`)
  const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
  await expect(
    dialog.getByText('Your role needs two-factor authentication. Set it up to continue.'),
  ).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  expect((await page.request.get(`${site}/api/admin/orders`)).status()).toBe(403)

  await enrol(page)
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Direct Orders' })).toBeVisible()
  expect((await page.request.get(`${site}/api/admin/orders`)).status()).toBe(200)
})

test('a lost factor: asked for at the blocking dialog, vouched for, held back, lifted by a second admin', async ({
  page,
  admin,
  browser,
}) => {
  const email = await signUp(page)
  await page.goto('/settings/2fa')
  await enrol(page)
  await forget(page)
  await signIn(page, email, password)

  const reference = await test.step('whoever has neither phone nor codes asks for help', async () => {
    const dialog = page.getByRole('dialog', { name: 'Confirm your sign-in' })
    await dialog.getByText('I’ve lost my phone and my backup codes').click()
    await dialog.getByRole('button', { name: 'Request a reset' }).click()
    const said = dialog.getByText(/^We’re reviewing request \S+/)
    await expect(said).toBeVisible()
    await mailTo(email, /turn off two-factor/i)
    return /request (\S+)\. /.exec(await said.innerText())?.[1] ?? ''
  })

  const two = await browser.newContext()
  const second = await two.newPage()
  await signIn(second, 'bob@example.com')
  const cardOf = (at: Page) => at.locator('main div').filter({ hasText: reference }).last().locator('..')

  /** How many requests wait for an admin, as the server counts, and as the sidebar shows. */
  const waiting = async (at: Page) => {
    const queues = await (await at.request.get('/api/admin/queues')).json()
    return queues.find((one: { name: string }) => one.name === 'recoveries')?.count ?? 0
  }

  await test.step('one admin vouches, and cannot lift it', async () => {
    await admin.page.goto('/admin/customers')
    await expect(async () => {
      const name = `2FA resets ${await waiting(admin.page)} waiting`
      await expect(admin.page.getByRole('link', { name })).toBeVisible({ timeout: 2_000 })
    }).toPass()
    await admin.page.setViewportSize(cardsWidth)
    await admin.page.goto('/admin/security')
    await cardOf(admin.page).getByRole('button', { name: 'Confirm identity' }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByLabel('How did you check?').fill('Seen on video with a passport.')
    await dialog.getByRole('button', { name: 'Confirm identity' }).click()
    await expect(admin.page.getByText(`${reference} · Identity confirmed`)).toBeVisible()
    await expect(cardOf(admin.page).getByRole('button', { name: 'Turn off 2FA' })).toHaveCount(0)
  })

  await test.step('nobody can before the delay is over', async () => {
    await second.setViewportSize(cardsWidth)
    await second.goto('/admin/security')
    await expect(second.getByText(`${reference} · Identity confirmed`)).toBeVisible()
    await expect(cardOf(second).getByText('Seen on video with a passport.')).toBeVisible()
    await expect(cardOf(second).getByRole('button', { name: 'Reject' })).toBeVisible()
    await expect(cardOf(second).getByRole('button', { name: 'Turn off 2FA' })).toHaveCount(0)
  })

  await test.step('after it the second admin does', async () => {
    await operator('recoverable', { recovery: reference })
    await second.reload()
    await cardOf(second).getByRole('button', { name: 'Turn off 2FA' }).click()
    const dialog = second.getByRole('dialog')
    await dialog.getByLabel('How did you check?').fill('Read the notes of my colleague.')
    await dialog.getByRole('button', { name: 'Turn off 2FA' }).click()
    await expect(second.getByText('Decision saved').first()).toBeVisible()
  })

  await test.step('its owner signs in with the password alone, and sets up a new one', async () => {
    await mailTo(email, /turned off two-factor/i)
    await forget(page)
    await signIn(page, email, password)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.goto('/settings/2fa')
    await expect(page.getByText('Two-factor authentication is off')).toBeVisible()
    await enrol(page)
  })
  await two.close()
})
