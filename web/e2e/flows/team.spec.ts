import { adminTeam as texts } from '../../src/messages/admin-team'
import { expectNoViolation } from '../fixtures/accessible'
import { forget, newStaff, password, signIn, signUp } from '../fixtures/people'
import { mailTo } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test('a role is proposed by one admin and approved by another: its person signs in again and has it', async ({
  page,
  browser,
  admin: { page: alice },
}) => {
  const email = await signUp(page)
  const second = await browser.newContext()
  const bob = await second.newPage()
  await newStaff(bob, 'admin')
  const waiting = (of: typeof alice) => of.getByRole('article', { name: email })

  await test.step('by keyboard alone, the first finds the person by address and proposes', async () => {
    await alice.goto('/admin/team')
    await alice.getByRole('button', { name: texts.propose }).focus()
    await alice.keyboard.press('Enter')
    const dialog = alice.getByRole('dialog')
    await expect(dialog.getByLabel(texts.email)).toBeFocused()
    await alice.keyboard.type('nobody-at-all@example.com')
    await alice.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('There is no account with this confirmed address')
    await dialog.getByLabel(texts.email).fill(email)
    await alice.keyboard.press('Enter')
    await expect(dialog.getByText(email)).toBeVisible()
    await expect(dialog.getByRole('button', { name: texts.proposeConfirm })).toBeDisabled()
    await dialog.getByRole('checkbox', { name: texts.roles.support }).focus()
    await alice.keyboard.press('Space')
    await dialog.getByLabel(texts.reason).fill('Answers tickets from Monday')
    await dialog.getByRole('button', { name: texts.proposeConfirm }).focus()
    await alice.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(waiting(alice).getByText(texts.mine)).toBeVisible()
    await expect(waiting(alice).getByRole('button', { name: texts.actions.approve })).toHaveCount(0)
    await expectNoViolation(alice)
    await page.goto('/admin/support')
    await expect(page.getByText('404 Page Not Found')).toBeVisible()
    await page.goto('about:blank') // the page would leave for the sign-in, as its session ends
  })

  await test.step('the second finds it in the dashboard and approves it', async () => {
    await bob.goto('/admin')
    await bob.getByRole('link', { name: 'Role changes to approve' }).click()
    await expect(waiting(bob).getByText('“Answers tickets from Monday”')).toBeVisible()
    await waiting(bob).getByRole('button', { name: texts.actions.approve }).click()
    const dialog = bob.getByRole('dialog')
    await expect(dialog).toContainText(`${email}: Customer becomes Support.`)
    await dialog.getByRole('button', { name: texts.actions.approve }).click()
    await expect(dialog).toHaveCount(0)
    await expect(waiting(bob)).toHaveCount(0)
    await expect(bob.getByRole('row').filter({ hasText: email })).toContainText(texts.roles.support)
    await expect(waiting(alice)).toHaveCount(0)
  })

  await test.step('the person is signed out, told, and has the back office of support', async () => {
    await expect.poll(async () => (await page.request.get('/api/auth/user')).status()).toBe(401)
    const mail = await mailTo(email, /role has changed/)
    expect(mail.text).toContain('New role: support')
    await forget(page)
    await signIn(page, email, password)
    await page.goto('/admin/support')
    await expect(page.getByRole('heading', { level: 1, name: 'Support' })).toBeVisible()
    await expect(page.getByRole('link', { name: texts.title, exact: true })).toHaveCount(0)
    await page.goto('/admin/team')
    await expect(page.getByText(texts.fetchFailed)).toBeVisible()
    await expect(page.getByRole('button', { name: texts.propose })).toHaveCount(0)
  })

  await test.step('one admin alone takes it away, at once', async () => {
    await bob.goto(`/admin/team?q=${email}`)
    await bob.getByRole('button', { name: `${texts.change} ${texts.ofWhom(email)}` }).click()
    const dialog = bob.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: texts.roles.support }).uncheck()
    await dialog.getByLabel(texts.reason).fill('Has left')
    await dialog.getByRole('button', { name: texts.takeConfirm }).click()
    await expect(dialog).toHaveCount(0)
    await expect(bob.getByText(texts.empty)).toBeVisible()
    expect((await page.request.get('/api/auth/user')).status()).toBe(401)
    await mailTo(email, /roles was removed/)
  })
  await second.close()
})
