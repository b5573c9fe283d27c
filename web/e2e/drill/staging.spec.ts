import { expect } from '../fixtures/expect'
import { signUpByHand, verifyIdentity } from '../fixtures/people'
import { effects, identityUrl, mailsTo, mailTo } from '../fixtures/stack'
import { once, paid, sent, test } from './shop'

const testnet4 = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
const banner = 'This is a rehearsal. Nothing here is real money.'

test('in a rehearsal an order goes to a test network, and says so everywhere', async ({ page, admin }) => {
  const email = await signUpByHand(page)
  await verifyIdentity(page)
  let id = ''
  await once(async () => {
    const made = await paid(page, admin, testnet4)
    id = made.id
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(made.reference)
    await sent(page)
  })
  expect((await effects())['kraken/fill']).toBe(0)

  const explorer = page.locator('a[href^="https://mempool.space/testnet4/tx/"]')
  await expect(explorer.first()).toBeVisible()
  await mailTo(email, /^\[TEST\] Your .+ is on its way/)
  for (const { subject } of await mailsTo(email)) expect(subject).toMatch(/^\[TEST\] /)
  for (const path of [
    '/',
    '/buy',
    '/orders',
    `/orders/${id}`,
    '/transactions',
    '/wallet',
    '/kyc',
    '/terms',
    '/nowhere',
  ]) {
    await page.goto(path)
    await expect(page.getByText(banner)).toBeVisible()
  }
  for (const path of ['/admin/orders', '/admin/payments', '/admin/treasury']) {
    await admin.page.goto(path)
    await expect(admin.page.getByText(banner)).toBeVisible()
  }
  await admin.page.context().clearCookies()
  await admin.page.goto('/api/login')
  await admin.page.waitForURL(`${identityUrl}/**`)
  await expect(admin.page.getByText(banner)).toBeVisible()
})
