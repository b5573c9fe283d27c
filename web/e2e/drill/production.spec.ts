import { expect } from '../fixtures/expect'
import { signUpByHand, verifiedCustomer, verifyIdentity } from '../fixtures/people'
import { operator } from '../fixtures/stack'
import { once, paid, sent, test } from './shop'

test('a visitor signs up, verifies, buys by card, and is sent the coin', async ({ page, admin }) => {
  await signUpByHand(page)
  await verifyIdentity(page) // the simulated widget refuses frames of other sites than the local one
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await sent(page)
  })
})

test('a worker that gets past its memory limit is back, and nothing is lost', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    const starved = operator('starve', { part: 'custody' })
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await starved
    await sent(page)
  })
})

test('a release replaces the one before under an open order', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    await admin.orders.open(`?q=${id}`)
    let rolling = true
    const released = operator('release', {}).finally(() => {
      rolling = false
    })
    await admin.orders.fulfill(reference)
    while (rolling) {
      expect((await page.request.get('/api/session')).status()).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    await released
    await sent(page)
  })
})

test('the volume of Postgres is lost and made anew from the archive', async ({ page, admin }) => {
  await verifiedCustomer(page)
  await once(async () => {
    const { id, reference } = await paid(page, admin)
    await operator('restore', {})
    await admin.orders.open(`?q=${id}`)
    await admin.orders.fulfill(reference)
    await sent(page)
  })
})
