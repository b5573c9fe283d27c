import { buy } from '../../src/messages/buy'
import { identity } from '../../src/messages/identity'
import { kyc } from '../../src/messages/kyc'
import { buyButton } from '../fixtures/buying'
import { signUp, submitDocuments } from '../fixtures/people'
import { mailTo, simulator } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test('an identity is refused, tried again, raised to enhanced, and taken back by an officer', async ({
  page,
  admin,
}) => {
  const email = await signUp(page)
  const { id } = await (await page.request.get('/api/auth/user')).json()

  await test.step('a photo that is not sharp is refused with what to change, and sent again', async () => {
    await page.goto('/kyc')
    await page.getByRole('button', { name: 'Start Verification' }).click()
    await submitDocuments(page, 'Ask for a new photo')
    await expect(page.getByText('Verification failed. Please try again.')).toBeVisible()
    // Toasts stay for five seconds: this one disappears with the verdict.
    await expect(page.getByText('Documents Submitted')).toHaveCount(0, { timeout: 2000 })
    const asked = page.getByRole('status').filter({ hasText: 'Verification failed. Please try again.' })
    await expect(asked).toContainText(/not sharp enough.*Choose Try Again/)
    await expect(asked, 'nothing is lost yet: amber, not red').toHaveClass(/pending/)
    // The frame has the focus, and the toast about the submission does not stay over its outcome.
    await expect(page.locator('[data-toast][data-state="open"]')).toHaveCount(0)
    await mailTo(email, /verification again/)
    await page.getByRole('button', { name: 'Close verification' }).click()
    await page.getByRole('button', { name: 'Try Again' }).click()
    const widget = page.frameLocator('iframe[src*="websdk"]')
    await widget.getByRole('button', { name: 'Try again' }).click()
    await submitDocuments(page, 'Approve')
    await expect(page.getByText('Your identity is verified. All features unlocked!')).toBeVisible()
    await expect(page.getByText('Verified', { exact: true }).first()).toBeVisible()
    await mailTo(email, /identity is verified/)
    // At the review's end the widget closes by itself.
    await expect(page.getByRole('button', { name: 'Close verification' })).toHaveCount(0)
  })

  await test.step('the levels say what they allow, and standard stays in force while enhanced is reviewed', async () => {
    await expect(page.getByText('Your level', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Apply for Enhanced' }).click()
    await submitDocuments(page, 'Leave it to the control page')
    await expect(
      page.getByText('We’re reviewing your documents. You keep your level until then.'),
    ).toBeVisible()
    await expect(page.getByText('Your identity is verified. All features unlocked!')).toBeVisible()
    expect((await (await page.request.get('/api/auth/user')).json()).kycStatus).toBe('verified')
    await simulator('sumsub/decide', { user: id, outcome: 'approve' })
    await expect
      .poll(async () => (await (await page.request.get('/api/kyc/status')).json()).level)
      .toBe('enhanced')
  })

  await test.step('an officer reads the case, and takes the approval back with a reason', async () => {
    await admin.page.goto('/admin/dashboard')
    await admin.page.getByRole('link', { name: 'Review KYC Submissions' }).click()
    await expect(admin.page.getByRole('heading', { level: 1, name: 'KYC' })).toBeVisible()
    await admin.page.goto('/admin/kyc?standing=approved')
    await admin.page.locator('[data-row]').filter({ hasText: email }).getByRole('link').click()
    await expect(admin.page.getByText('Level changed · Enhanced')).toBeVisible()
    await admin.page.getByRole('button', { name: 'Revoke' }).click()
    const dialog = admin.page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Revoke' })).toBeDisabled()
    await dialog.getByLabel('Reason').fill('The passport was reported stolen')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expect(admin.page.getByText('The passport was reported stolen')).toBeVisible()
    await page.goto('/kyc')
    await expect(
      page.getByText('We couldn’t verify your identity, and you can’t try again. Contact support.'),
    ).toBeVisible()
    await expect(page.getByText('stolen')).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('link', { name: 'Contact support' })).toBeVisible()
    await mailTo(email, /no longer verified/)
  })

  await test.step('nothing is left to fill in at /buy: it says what is true and where to go', async () => {
    await page.goto('/buy')
    await expect(page.getByText(buy.refusedTitle)).toBeVisible()
    await expect(page.getByText(buy.kycFinalText)).toBeVisible()
    await expect(buyButton(page)).toHaveCount(0)
    await expect(page.getByLabel('Amount in BTC')).toHaveCount(0)
    await page.locator('#kyc-link').click()
    await expect(page).toHaveURL(/\/support$/)
    await page.goto('/dashboard')
    await expect(page.getByRole('region', { name: 'Next step' })).toContainText(identity.rejectedFinal)
    await page.goto('/kyc')
  })

  await test.step('asked again by the officer, they may begin from the start', async () => {
    await admin.page.getByRole('button', { name: 'Request again' }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('It was found again')
    await dialog.getByRole('button', { name: 'Request again' }).click()
    await expect(page.getByRole('button', { name: 'Start Verification' })).toBeVisible()
  })
})

test('on a phone the steps are said before the verification, which comes into view when it is started', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await signUp(page)
  await page.goto('/kyc')
  const start = page.getByRole('button', { name: 'Start Verification' })
  for (const { title } of kyc.steps('')) await expect(page.getByText(title, { exact: true })).toBeInViewport()
  await expect(start).toBeInViewport()
  const [last, press] = [await page.getByText(kyc.stepsEnd).boundingBox(), await start.boundingBox()]
  expect(last?.y, 'what comes is said before the press').toBeLessThan(press?.y ?? 0)
  await start.click()
  const widget = page.frameLocator('iframe[src*="websdk"]')
  await expect(widget.getByRole('button', { name: 'Continue' })).toBeInViewport()
  await expect(start).toHaveCount(0)
})
