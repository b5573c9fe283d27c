import { giftCardStatus, giftCards } from '../../src/messages/gift-cards'
import { kyc } from '../../src/messages/kyc'
import { statusLabels } from '../../src/messages/status'
import { voucherStatus, vouchers } from '../../src/messages/vouchers'
import { wallet } from '../../src/messages/wallet'
import { approveCard } from '../fixtures/balance'
import { fillPurchase } from '../fixtures/buying'
import { sellGiftCard } from '../fixtures/gift-cards'
import { asThird, Caller, fulfilled, order, ownAddress, transferred, until } from '../fixtures/orders'
import { signUp, submitDocuments, verifiedCustomer } from '../fixtures/people'
import { arm, simulator } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'
import { expectWhole, openTranslated, translate } from '../fixtures/translated'

/*
 * Pages that the browser translates, while what they show changes. Of each, the same page is open untranslated, and
 * both must say the same. src/translated.test.tsx compares every page in the same way, without a browser.
 */

const { order: orderStates } = statusLabels

test('translated: an order that is cancelled, and one that is paid and sent, for its customer and staff', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]

  await test.step('cancelled from elsewhere, on its page and in the list', async () => {
    const made = await order(customer, 'card')
    const cancelled = new RegExp(statusLabels.legacy.cancelled)
    const follows = [
      await openTranslated(page, `/orders/${made.id}`, cancelled),
      await openTranslated(page, '/orders', cancelled),
    ]
    await customer.post(`/api/orders/${made.id}/cancel`)
    for (const follow of follows) await follow()
  })

  const made = await order(customer, 'chime')
  const row = (at: typeof page) => at.locator('[data-row]').filter({ hasText: made.reference })
  const approved = new RegExp(orderStates.payment_approved)

  await test.step('its money comes: the row changes where payments wait, and comes where orders do', async () => {
    const payment = new RegExp(statusLabels.payment.approved)
    const waiting = `/admin/orders?status=payment_approved&q=${made.id}`
    const follows = [
      await openTranslated(page, `/orders/${made.id}`, approved),
      await openTranslated(admin.page, '/admin/payments?status=all&method=chime', payment, row),
      await openTranslated(admin.page, waiting, approved, row),
    ]
    await transferred(staff, made, made.total)
    for (const follow of follows) await follow()
  })

  await test.step('its coin is sent: on its page, in the wallet, in the history and in the queue', async () => {
    await until(staff, made, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
    const sent = new RegExp(orderStates.sent)
    const follows = [
      await openTranslated(page, `/orders/${made.id}`, /is (on its way to|in) your wallet/),
      await openTranslated(page, '/wallet', new RegExp(wallet.delivered)),
      await openTranslated(page, '/transactions', sent),
      await openTranslated(admin.page, `/admin/orders?status=all&q=${made.id}`, sent, row),
    ]
    await fulfilled(staff, made)
    for (const follow of follows) await follow()
  })
})

test('translated: an identity that is approved while its widget is open', async ({ page }) => {
  await signUp(page)
  const { id } = await new Caller(page).get<{ id: string }>('/api/auth/user')
  await page.goto('/kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  await translate(page)
  await submitDocuments(page, 'Leave it to the control page')
  await expect(page.getByRole('main').getByText(kyc.badge.pending, { exact: true }).first()).toBeVisible()
  const verified = 'Your identity is verified. All features unlocked!'
  const follow = await openTranslated(page, '/kyc', new RegExp(verified))
  await simulator('sumsub/decide', { user: id, outcome: 'approve' })
  await expect(page.getByText(verified)).toBeVisible()
  await expect(page.getByRole('main').getByText(kyc.badge.pending, { exact: true })).toHaveCount(0)
  await expectWhole(page)
  await follow()
})

test('translated: the price on /buy, with another amount and when it renews itself', async ({ page }) => {
  await verifiedCustomer(page)
  let total = ''
  await page.route('**/api/orders/calculate-pricing', async (route) => {
    const response = await route.fetch()
    const price = await response.json()
    await route.fulfill({ response, json: { ...price, expiresInSeconds: 4, ...(total ? { total } : {}) } })
  })
  await fillPurchase(page)
  await translate(page)
  const main = page.getByRole('main')
  const line = main.locator('dl > div').filter({ has: page.getByText('Total', { exact: true }) })
  const shown = async () => (await line.first().locator('dd').textContent()) ?? ''
  const replaced = async (old: string) => {
    await expect(main, 'the former total is nowhere beside it').not.toContainText(old)
    await expectWhole(page)
  }

  const first = await shown()
  expect(first).toMatch(/^\$[\d,]+\.\d\d$/)
  await page.getByLabel('Amount in BTC').fill('0.004')
  await expect.poll(shown, 'another amount costs something else').not.toBe(first)
  await replaced(first)

  const second = await shown()
  total = '999.99'
  await expect.poll(shown, 'the price renews itself').toBe('$999.99')
  await replaced(second)
})

test('translated: gift cards and the balance, a voucher, and an answer to a ticket', async ({
  page,
  admin,
}) => {
  await signUp(page)
  const [customer, staff] = [new Caller(page), new Caller(admin.page)]

  await test.step('a gift card is rejected', async () => {
    const card = await sellGiftCard(page, { value: '50' })
    const follow = await openTranslated(page, `/gift-cards/${card}`, new RegExp(giftCards.rejectedTitle))
    await staff.post(`/api/admin/gift-cards/${card}/reject`, { reason: 'The code is used' })
    await follow()
  })

  await test.step('another is bought, and the balance is another', async () => {
    const card = await sellGiftCard(page, { value: '50' })
    const follows = [
      await openTranslated(page, `/gift-cards/${card}`, new RegExp(giftCards.approvedTitle)),
      await openTranslated(page, '/gift-cards', new RegExp(giftCardStatus.approved)),
      await openTranslated(page, '/balance', /\$37\.50/),
    ]
    await asThird(staff, (reviewer) => approveCard(reviewer, card, '50'))
    for (const follow of follows) await follow()
  })

  await test.step('the coin of a voucher is sent', async () => {
    const walletAddress = ownAddress('BTC')
    const { code } = await staff.post<{ code: string }>('/api/admin/vouchers', {
      amount: '25',
      currency: 'USD',
    })
    const held = { operation: 'sendcoins', match: walletAddress, code: 'hold_before', count: -1 }
    const go = await arm({ provider: 'bitgo', ...held })
    const asked = { code, cryptoType: 'BTC', walletAddress }
    const { id } = await customer.post<{ id: string }>('/api/vouchers/redeem', asked)
    const follows = [
      await openTranslated(page, `/vouchers/${id}`, new RegExp(vouchers.sentTitle)),
      await openTranslated(page, '/vouchers', new RegExp(voucherStatus.sent)),
    ]
    await go()
    for (const follow of follows) await follow()
  })

  await test.step('a ticket is answered', async () => {
    const ticket = await openTicket(page, 'Where is my coin?')
    const answer = 'It leaves within the hour.'
    const follow = await openTranslated(page, `/support/${ticket}`, new RegExp(answer))
    await staff.post(`/api/admin/support/tickets/${ticket}/reply`, { message: answer })
    await follow()
  })
})
