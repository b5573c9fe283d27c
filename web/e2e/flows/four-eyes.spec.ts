import { adminKyc as identities } from '../../src/messages/admin-kyc'
import { adminOrder, adminOrders } from '../../src/messages/admin-order'
import { bulk, proposals as texts } from '../../src/messages/admin-proposals'
import { queue } from '../../src/messages/admin-queue'
import { notes } from '../../src/messages/admin-records'
import { adminRisk as risk, riskReasons } from '../../src/messages/admin-risk'
import { accessible } from '../fixtures/accessible'
import { cardsWidth } from '../fixtures/admin'
import { test } from '../fixtures/crowd'
import {
  asStaff,
  authorised,
  fulfilled,
  order,
  ownAddress,
  ownAmount,
  paid,
  type Seen,
  until,
} from '../fixtures/orders'
import { signUp, submitDocuments } from '../fixtures/people'
import { decideAs, press } from '../fixtures/presses'
import { arm, operator, simulator } from '../fixtures/stack'
import { expect } from '../fixtures/test'

test('a refund above the limit: proposed by one, seen by another in the drawer, approved, and the customer has it', async ({
  customer,
  staff: bob,
  admin: { page: alice },
}) => {
  const made = await order(customer, 'card', 'USDC', '1234.56')
  const { payment } = await authorised(customer, bob, made)
  await bob.post(`/api/admin/payments/${payment.id}/process`)
  await until(bob, made, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
  const waiting = alice.getByText(/^A refund of \$1,\d{3}\.\d\d needs second approval$/)

  await test.step('one person proposes it, is told so before and after, and nothing moves', async () => {
    await alice.goto(`/admin/orders/${made.id}`)
    await alice.getByLabel(notes.field).fill('Called: wants the money back')
    await alice.getByRole('button', { name: notes.add }).click()
    await expect(alice.getByText('Called: wants the money back')).toBeVisible()
    const stripe = alice.getByRole('link', { name: adminOrder.openAt('Stripe') })
    await expect(stripe).toHaveAttribute('href', new RegExp(`${payment.stripePaymentIntentId ?? 'pi_'}$`))

    await press(alice, /^Refund/)
    const dialog = alice.getByRole('dialog')
    await expect(dialog.getByText(/can still refund \$1,000\.00/)).toBeVisible()
    await dialog.getByLabel('Reason').fill('Charged twice')
    await dialog.getByRole('button', { name: /^Propose refund of \$1,/ }).click()
    await expect(waiting).toBeVisible()
    await expect(alice.getByText(texts.still, { exact: false })).toBeVisible()
    expect(await asStaff(bob, made)).toMatchObject({ status: 'payment_approved', refunded: '0.00' })
  })

  await test.step('who proposed it cannot approve it', async () => {
    await expect(alice.getByText(texts.mine)).toBeVisible()
    await expect(alice.getByRole('button', { name: texts.approve })).toHaveCount(0)
    await expect(alice.getByRole('button', { name: texts.withdraw })).toBeVisible()
    await accessible(alice)
  })

  const { page } = bob
  await test.step('another person finds it in the list and opens it beside, by keyboard alone', async () => {
    await page.setViewportSize(cardsWidth)
    await page.goto('/admin/orders?proposed=true')
    const card = page.getByRole('article').filter({ hasText: made.reference })
    await expect(card.getByRole('link', { name: texts.badge })).toBeVisible()
    const look = card.getByRole('link', { name: adminOrder.look })
    await look.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: /USDC$/ })
    await expect(drawer.getByText('“Charged twice”')).toBeVisible()
    await expect(drawer.getByText('Called: wants the money back')).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`open=${made.id}`))
    await accessible(page)
    await page.keyboard.press('Escape')
    await expect(drawer).toHaveCount(0)
    await expect(look).toBeFocused()
    await expect(page).not.toHaveURL(/open=/)
    await page.goForward()
    await expect(drawer.getByText('“Charged twice”')).toBeVisible()
    await page.goBack()
    await expect(drawer).toHaveCount(0)
    await expect(look).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(drawer.getByRole('button', { name: texts.approve })).toBeVisible()
    await page.keyboard.press('a')
  })

  await test.step('approved, it is the refund that one person’s would have been', async () => {
    const dialog = page.getByRole('dialog', { name: texts.approveTitle.refund })
    await expect(dialog).toContainText(/Refunds \$1,\d{3}\.\d\d to customer person-\w+@example\.com/)
    await expect(dialog.getByRole('button', { name: texts.approve })).toBeEnabled()
    await page.keyboard.press('Control+Enter') // with the focus on the button that closes it
    await until(bob, made, 'refunded', ({ metadata }) => metadata.resolution === 'refunded')
    await expect(page.getByRole('dialog').getByText(texts.outcomes.approved, { exact: true })).toBeVisible()
    await expect(alice.getByText(texts.outcomes.approved, { exact: true })).toBeVisible()
    await expect(waiting).toHaveCount(0)
    await customer.page.goto(`/orders/${made.id}`)
    await expect(customer.page.getByText(/refunded/i).first()).toBeVisible()
  })
})

test('a transfer that BitGo removed for good: two people declare it dead, and the customer has the money back', async ({
  customer,
  staff: bob,
  admin: { page: alice },
}) => {
  const made = await paid(customer, bob)
  await arm({
    provider: 'bitgo',
    operation: 'sendcoins',
    match: made.address,
    code: 'removed:final',
    count: 1,
  })
  await fulfilled(bob, made)
  await until(bob, made, 'removed', ({ attention }) => attention?.reason === 'transfer_failed')
  const seen = 'Block 900001: its inputs were spent by another transaction'

  await test.step('one person proposes it, with where they saw it; nothing changes', async () => {
    await alice.goto(`/admin/orders/${made.id}`)
    await press(alice, adminOrders.dead)
    const dialog = alice.getByRole('dialog', { name: adminOrders.deadTitle })
    await expect(dialog).toContainText(texts.limitDead)
    await expect(dialog.getByRole('button', { name: texts.proposeSent })).toBeDisabled()
    await dialog.getByLabel(adminOrders.deadField).fill(seen)
    await dialog.getByLabel(adminOrders.networkProof).fill('The customer waits')
    await accessible(alice)
    await dialog.getByRole('button', { name: texts.proposeSent }).click()
    await expect(alice.getByText(texts.mine)).toBeVisible()
    await expect(alice.getByRole('button', { name: texts.approve })).toHaveCount(0)
    expect(await asStaff(bob, made)).toMatchObject({ attention: { reason: 'transfer_failed' } })
  })

  const { page } = bob
  await test.step('another person reads the evidence and approves it', async () => {
    await page.goto(`/admin/orders/${made.id}`)
    await expect(page.getByText(`${texts.seen}: ${seen}`)).toBeVisible()
    await page.getByRole('button', { name: texts.approve }).first().click()
    const dialog = page.getByRole('dialog', { name: texts.approveTitle.transfer_dead })
    await expect(dialog).toContainText(seen)
    await dialog.getByRole('button', { name: texts.approve }).click()
    await until(bob, made, 'dead', ({ status, decision }) => status === 'failed' && !decision)
  })

  await test.step('the order failed, and is refunded as any that did', async () => {
    await alice.reload()
    await decideAs(alice, /^Refund/, { Reason: 'The customer waits' })
    await until(bob, made, 'refunded', ({ metadata }) => metadata.resolution === 'refunded')
  })
})

test('the drawer walks through the list, at every width', async ({ customer, staff: { page } }) => {
  await order(customer, 'zelle')
  const made = await order(customer, 'zelle')
  await page.goto(`/admin/orders?status=pending&open=${made.id}`)
  const drawer = page.getByRole('dialog')
  await expect(drawer).toContainText(made.reference)
  await expect(drawer.getByText(/^\d+ of \d+$/)).toBeVisible()
  await page.keyboard.press('j')
  await expect(drawer).not.toContainText(made.reference)
  await page.keyboard.press('k')
  await expect(drawer).toContainText(made.reference)
  await drawer.getByLabel(notes.field).fill('jk')
  await expect(drawer.getByLabel(notes.field)).toHaveValue('jk')
  await expect(drawer).toContainText(made.reference)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await accessible(page)
    const wider = await drawer.evaluate((box) => box.scrollWidth - box.clientWidth)
    expect(wider, `nothing sticks out at ${width}`).toBe(0)
  }
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await expect(page).toHaveURL(/status=pending$/)
})

test('several paid orders are fulfilled at once, and each says what came of it', async ({
  customer,
  staff,
}) => {
  const made = [await paid(customer, staff), await paid(customer, staff)]
  const { page } = staff
  await page.goto('/admin/orders?status=payment_approved')
  for (const { reference } of made)
    await page.getByRole('checkbox', { name: queue.select(reference) }).check()
  await page.getByRole('button', { name: bulk.go(2) }).click()
  const dialog = page.getByRole('dialog', { name: bulk.title(2) })
  for (const { address, reference } of made) {
    await expect(dialog).toContainText(reference)
    await expect(dialog).toContainText(address)
  }
  await accessible(page)
  await dialog.getByRole('button', { name: bulk.go(2) }).click()
  await expect(dialog.getByText(bulk.started, { exact: true })).toHaveCount(2)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  for (const each of made) await until(staff, each, 'sent', ({ status }) => status === 'sent')
})

test('an order under review is released, or refused, on its own page', async ({ customer, staff }) => {
  const { page } = staff
  for (const action of ['release', 'refuse'] as const) {
    const destAddress = ownAddress('BTC')
    await operator('block', { network: 'bitcoin', address: destAddress })
    const { id } = await customer.post<{ id: string }>('/api/orders', {
      asset: 'BTC',
      amountAsset: ownAmount('BTC'),
      paymentMethod: 'zelle',
      destAddress,
    })
    await page.goto(`/admin/orders/${id}`)
    await expect(page.getByText(risk.underReview)).toBeVisible()
    await expect(page.getByText(riskReasons.blocked_address)).toBeVisible()
    if (action === 'release') await accessible(page)
    await decideAs(page, new RegExp(`^${risk.actions[action]}`), { Reason: 'Looked at it' })
    await expect(page.getByText(risk.underReview)).toHaveCount(0)
    await expect
      .poll(async () => (await staff.get<Seen>(`/api/admin/orders/${id}`)).metadata.resolution)
      .toBe(action === 'release' ? null : 'declined')
    await operator('unblock', { address: destAddress })
  }
})

test('an identity that the provider rejected finally is approved by two people', async ({
  page,
  staff: { page: bob },
  admin: { page: alice },
}) => {
  await signUp(page)
  const { id } = await (await page.request.get('/api/auth/user')).json()
  const level = async () => (await (await page.request.get('/api/kyc/status')).json()).level
  await page.goto('/kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  await submitDocuments(page, 'Leave it to the control page')
  const status = async () => (await (await page.request.get('/api/kyc/status')).json()).status
  await expect.poll(status, 'there is something to decide').toBe('pending')
  await simulator('sumsub/decide', { user: id, outcome: 'reject' })
  await expect.poll(status).toBe('rejected')

  await test.step('one person is told that it takes two, and proposes it', async () => {
    await alice.goto(`/admin/kyc/${id}`)
    await expect(alice.getByText(identities.takesTwo)).toBeVisible()
    await alice.getByRole('button', { name: identities.actions.approve.button, exact: true }).click()
    const dialog = alice.getByRole('dialog')
    await expect(dialog.getByText(identities.finalBy.provider)).toBeVisible()
    await dialog.getByLabel(identities.reason).fill('Seen in person')
    await dialog.getByRole('button', { name: identities.propose }).click()
    await expect(alice.getByText(identities.mine)).toBeVisible()
    await expect(alice.getByRole('button', { name: identities.answers.withdraw.button })).toBeVisible()
    await expect(
      alice.getByRole('button', { name: identities.actions.approve.button, exact: true }),
    ).toHaveCount(0)
    expect(await level()).toBe('none')
    await accessible(alice)
  })

  await test.step('another sees the reason, the proposer and what the provider said, and approves', async () => {
    await bob.goto(`/admin/kyc/${id}`)
    await expect(bob.getByText(identities.proposedBy('alice@example.com'), { exact: false })).toBeVisible()
    await expect(bob.getByText('“Seen in person”')).toBeVisible()
    await bob.getByRole('button', { name: `${identities.answers.approve.button} Casey Lin` }).click()
    const dialog = bob.getByRole('dialog')
    await expect(dialog).toContainText(identities.levels.standard)
    await expect(dialog).toContainText('“Seen in person”')
    await dialog.getByRole('button', { name: identities.answers.approve.button, exact: true }).click()
    await expect.poll(level).toBe('standard')
    await expect(bob.getByText(identities.proposedBy('alice@example.com'), { exact: false })).toHaveCount(0)
  })
})
