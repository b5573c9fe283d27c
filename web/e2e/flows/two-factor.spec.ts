import { codeOf } from '../fixtures/authenticator'
import { password, signIn, signUp } from '../fixtures/people'
import { mailTo, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test('two-factor: set up, sign out, sign in through the blocking dialog with a code and with a backup code', async ({
  page,
}) => {
  test.setTimeout(180_000)
  const email = await signUp(page)
  let secret = ''
  let codes: string[] = []

  await test.step('bar 13: it is set up with a secret, a code, and backup codes shown once', async () => {
    await page.goto('/settings/2fa')
    await page.getByRole('button', { name: 'Set up' }).click()
    await expect(page.getByText('2FA Setup Initiated').first()).toBeVisible()
    await expect(page.getByAltText('QR code for your authenticator app')).toBeVisible()
    secret = (await page.locator('main code').innerText()).trim()
    await page.getByLabel('Verification code').fill(codeOf(secret))
    await page.getByRole('button', { name: 'Verify and turn on' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByTestId('backup-code')).toHaveCount(10)
    codes = await dialog.getByTestId('backup-code').allInnerTexts()
    const download = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('tradepost-backup-codes.txt')
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await expect(page.getByText('Two-factor authentication is on')).toBeVisible()
    await expect(page.getByText('10 of your backup codes are unused.')).toBeVisible()
    expect((await mailTo(email, /authentication is on/)).text).not.toContain(secret)
  })

  const signInAgain = async () => {
    await page.context().clearCookies()
    await signIn(page, email, password)
    await expect(page.getByRole('dialog', { name: 'Confirm your sign-in' })).toBeVisible()
    expect((await page.request.get(`${siteUrl}/api/orders`)).status()).toBe(403)
  }

  await test.step('a code of the app ends the next sign-in; nothing closes the dialog before', async () => {
    await signInAgain()
    await page.keyboard.press('Escape')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Verify' })).toBeDisabled()
    await dialog.getByLabel('Verification code').fill(codeOf(secret, 1))
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
      .fill((codes[0] ?? '').toLowerCase())
    await dialog.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
    await page.goto('/settings/security')
    await expect(page.getByText('This device')).toBeVisible()
    await page.getByRole('button', { name: 'Sign out all others' }).click()
    await expect(page.getByText('Signed out', { exact: true }).first()).toBeVisible()
    await page.getByRole('link', { name: 'Manage' }).click()
    await expect(page.getByText('9 of your backup codes are unused.')).toBeVisible()
  })
})
