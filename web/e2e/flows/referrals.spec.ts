import type { Browser, Page } from '@playwright/test'
import { cardsWidth } from '../fixtures/admin'
import { authorised, Caller, fulfilled, type Made, order, ownAmount, until } from '../fixtures/orders'
import { signUp, signUpByHand, verifyIdentity } from '../fixtures/people'
import { mailTo, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/** A person in a browser of their own who follows a link and signs up. */
async function follow(browser: Browser, link: string): Promise<{ page: Page; email: string }> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(link)
  return { page, email: await signUpByHand(page) }
}

/** Takes an order that was made to the network. */
async function send(friend: Page, admin: Page, made: Made): Promise<void> {
  const staff = new Caller(admin)
  const { payment } = await authorised(new Caller(friend), staff, made)
  await staff.post(`/api/admin/payments/${payment.id}/process`)
  await until(staff, made, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
  await fulfilled(staff, made)
  await until(staff, made, 'sent', (seen) => seen.status === 'sent')
}

test('a friend is referred, and their first order earns the reward; one that is held is decided on', async ({
  page,
  admin,
  browser,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const payee = await signUp(page)
  let link = ''

  await test.step('the link and the code are copied, and shared', async () => {
    await page.goto('/referral')
    await expect(page.getByText('No referrals yet')).toBeVisible()
    link = await page.getByLabel('Referral link').inputValue()
    const code = await page.getByLabel('Your code').inputValue()
    expect(link).toBe(`${siteUrl}/?ref=${code}`)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await expect(page.getByText('Copied!').first()).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link)
    await page.getByRole('button', { name: 'Copy code' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code)
    const twitter = await page.getByRole('link', { name: 'Share on Twitter' }).getAttribute('href')
    expect(new URL(twitter ?? '').searchParams.get('url')).toBe(link)
    const facebook = await page.getByRole('link', { name: 'Share on Facebook' }).getAttribute('href')
    expect(new URL(facebook ?? '').searchParams.get('u')).toBe(link)
    await expect(page.getByText('They sign up and complete KYC')).toBeVisible()
  })

  const friend = await follow(browser, link)
  let made: Made | undefined

  await test.step('the friend is listed by first name, and active once verified', async () => {
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Casey L.' })
    await expect(row.getByText('Signed up', { exact: true })).toBeVisible()
    await expect(page.getByText(friend.email)).toHaveCount(0)
    await verifyIdentity(friend.page)
    await page.reload()
    await expect(row.getByText('Active', { exact: true })).toBeVisible()
  })

  await test.step('their first order pays both', async () => {
    made = await order(new Caller(friend.page), 'card')
    await send(friend.page, admin.page, made)
    await page.reload()
    await expect(
      page.getByRole('row').filter({ hasText: 'Casey L.' }).getByText('Rewarded', { exact: true }),
    ).toBeVisible()
    await expect(
      page.locator('dl > div').filter({ hasText: 'Total Earned' }).getByText('$10.00'),
    ).toBeVisible()
    await page.goto('/balance')
    await expect(page.getByText('A friend you referred completed their first order')).toBeVisible()
    await expect(page.getByText('$10.00').first()).toBeVisible()
    expect((await mailTo(payee, /for a referral/)).text).not.toContain(friend.email)
    await friend.page.goto('/balance')
    await expect(friend.page.getByText('Your sign-up bonus')).toBeVisible()
    await mailTo(friend.email, /\$25\.00 sign-up bonus/)
  })

  await test.step('a friend whose coin goes to the same wallet is looked at by a person', async () => {
    const second = await follow(browser, link)
    await verifyIdentity(second.page)
    const customer = new Caller(second.page)
    const body = {
      asset: 'BTC',
      amountAsset: ownAmount('BTC'),
      paymentMethod: 'card',
      destAddress: made?.address ?? '',
    }
    const placed = await customer.post<{ id: string; reference: string; quoteFiat: string }>(
      '/api/orders',
      body,
    )
    await send(second.page, admin.page, {
      ...placed,
      asset: 'BTC',
      amount: body.amountAsset,
      address: body.destAddress,
      total: placed.quoteFiat,
    })
    await admin.page.setViewportSize(cardsWidth)
    await admin.page.goto('/admin')
    await admin.page.getByRole('link', { name: 'Referrals' }).click()
    await admin.page.getByRole('button', { name: /^Held/ }).click()
    await expect(admin.page).toHaveURL(/status=held/)
    const held = admin.page.getByRole('article').filter({ hasText: second.email })
    const reward = held.filter({ hasText: 'Referral reward' })
    await expect(reward.getByText(payee)).toBeVisible()
    await expect(reward.getByText(/Same wallet as the payee/)).toBeVisible()
    await reward.getByRole('button', { name: 'Approve' }).click()
    const dialog = admin.page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Approve' })).toBeDisabled()
    await dialog.getByLabel('Reason').fill('They share a household')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await expect(admin.page.getByText('Reward approved').first()).toBeVisible()
    await held.filter({ hasText: 'Sign-up bonus' }).getByRole('button', { name: 'Reject' }).click()
    await dialog.getByLabel('Reason').fill('One bonus a household')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await expect(admin.page.getByText('Reward rejected').first()).toBeVisible()
    await admin.page.getByRole('button', { name: /^Rejected/ }).click()
    await expect(held.getByText('One bonus a household')).toBeVisible()
    await page.goto('/referral')
    await expect(
      page.locator('dl > div').filter({ hasText: 'Total Earned' }).getByText('$20.00'),
    ).toBeVisible()
    await second.page.context().close()
  })
  await friend.page.context().close()
})
