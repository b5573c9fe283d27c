import { newEmail, password, signIn, signUp } from '../fixtures/people'
import { identityUrl, mailTo, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test('a forgotten password is reset through the mailbox, and the old one is worth nothing', async ({
  page,
  browser,
}) => {
  const email = await signUp(page, newEmail())
  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(`${siteUrl}/api/login`)
  await other.getByRole('link', { name: /forgot/i }).click()
  await other.getByLabel('E-mail').fill(email)
  await other.getByRole('button').last().click()
  const mail = await mailTo(email, /password/i)
  await other.goto(mail.links.find((link) => link.includes('/reset')) ?? identityUrl)
  const fresh = 'marble-otter-lively-thirteen'
  await other.locator('input[type=password]').first().fill(fresh)
  const second = other.locator('input[type=password]').nth(1)
  if (await second.count()) await second.fill(fresh)
  await other
    .getByRole('button', { name: /password/i })
    .last()
    .click()
  await context.close()

  const third = await browser.newContext()
  const again = await third.newPage()
  await again.goto(`${siteUrl}/api/login`)
  await again.getByLabel('E-mail').fill(email)
  await again.getByLabel('Password', { exact: true }).fill(password)
  await again.getByRole('button', { name: 'Sign in' }).click()
  await expect(again.getByText('E-mail or password is wrong', { exact: false }).first()).toBeVisible()
  await signIn(again, email, fresh)
  await third.close()
})

test('the e-mail address is confirmed by the link of the mail', async ({ page }) => {
  const email = await signUp(page, newEmail())
  expect((await (await page.request.get('/api/auth/user')).json()).emailVerified).toBe(false)
  const mail = await mailTo(email, /confirm|verify/i)
  const tab = await page.context().newPage()
  await tab.goto(mail.links.find((link) => link.includes('/verify')) ?? identityUrl)
  await tab.getByRole('button', { name: /confirm/i }).click()
  await expect(tab.getByText('E-mail address confirmed').first()).toBeVisible()
})
