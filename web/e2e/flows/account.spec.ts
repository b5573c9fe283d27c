import { fillAccount, mailedCode, newEmail, password, signIn, signUp } from '../fixtures/people'
import { identityUrl, mailTo, operator, siteUrl } from '../fixtures/stack'
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
  await expect(again.getByText('Wrong e-mail or password', { exact: false }).first()).toBeVisible()
  await signIn(again, email, fresh)
  await third.close()
})

test('a new account begins with the code of its mail; a taken address is told to its owner alone', async ({
  page,
  browser,
}) => {
  const email = newEmail()
  await page.goto('/')
  await page.getByRole('link', { name: 'Get Started' }).first().click()
  await fillAccount(page, email)
  const code = page.getByLabel('Code from the e-mail')
  await expect(code).toBeFocused()
  const right = await mailedCode(email)
  await code.fill(right === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Confirm and continue' }).click()
  await expect(page.getByText('This isn’t the code we sent last.', { exact: false }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Send a new code' }).click()
  await expect(page.getByText('An earlier code no longer works', { exact: false })).toBeVisible()
  await expect.poll(() => mailedCode(email)).not.toBe(right)
  await code.fill(await mailedCode(email))
  await code.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  expect((await (await page.request.get('/api/auth/user')).json()).emailVerified).toBe(true)

  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(`${siteUrl}/api/login?screen=signup`)
  await fillAccount(other, email)
  await expect(other.getByRole('heading', { level: 1, name: 'Check your e-mail' })).toBeVisible()
  const mail = await mailTo(email, /already have a/)
  expect(mail.text).not.toMatch(/\b\d{6}\b/)
  await other.goto(mail.links.find((link) => link.includes('/signin')) ?? siteUrl)
  await expect(other.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await context.close()
})

test('one session is signed out from another, and that one stays', async ({ page, browser, troubles }) => {
  void troubles
  const email = await signUp(page, newEmail())
  const context = await browser.newContext({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  const elsewhere = await context.newPage()
  await signIn(elsewhere, email, password)

  await page.goto('/settings/security')
  const there = page.getByRole('listitem').filter({ hasText: 'Firefox on Linux' })
  await expect(page.getByRole('listitem').filter({ hasText: 'Signed in' })).toHaveCount(2)
  await there.getByRole('button', { name: 'Sign out Firefox on Linux' }).click()
  await expect(page.getByText('1 device signed out').first()).toBeVisible()
  await expect(there).toHaveCount(0)
  await expect(page.getByText('This device')).toBeVisible()

  expect((await elsewhere.request.get(`${siteUrl}/api/auth/user`)).status()).toBe(401)
  expect((await page.request.get('/api/auth/user')).status()).toBe(200)
  await context.close()
})

test('the security page leads to where the password is changed', async ({ page }) => {
  await signUp(page, newEmail())
  await page.goto('/settings/security')
  const leaves = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Change password' }).click()
  const provider = await leaves
  await expect(provider).toHaveURL(`${identityUrl}/account/password`)
  await expect(provider.getByRole('heading', { level: 1, name: 'Change password' })).toBeVisible()
})

test('an account is deleted: asked for, taken back, asked for again, and gone when its day comes', async ({
  page,
}) => {
  const email = await signUp(page, newEmail())
  const ask = async () => {
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await expect(page.getByText('Are you sure?')).toBeVisible()
    await page.getByRole('button', { name: 'Yes, delete it' }).click()
    await expect(page.getByText('Your account will be closed on')).toBeVisible()
  }
  await page.goto('/settings/privacy')
  await ask()
  expect((await mailTo(email, /will be closed/i)).text).not.toContain(password)
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(page.getByRole('button', { name: 'Delete my account' })).toBeVisible()
  await page.reload()
  await ask()

  await operator('closable', { email })
  await mailTo(email, /is closed/i)
  await page.goto('/settings/privacy')
  await expect(page.getByText('Are you sure?')).toHaveCount(0)
  expect((await page.request.get('/api/auth/user')).status()).toBe(401)
  await page.goto(`${siteUrl}/api/login`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Wrong e-mail or password', { exact: false }).first()).toBeVisible()
})
