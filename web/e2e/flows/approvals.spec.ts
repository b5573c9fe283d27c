import type { Page } from '@playwright/test'
import { adminApprovals as texts } from '../../src/messages/admin-approvals'
import { accessible } from '../fixtures/accessible'
import { approveCard, askPayout } from '../fixtures/balance'
import { test } from '../fixtures/crowd'
import { sellGiftCard } from '../fixtures/gift-cards'
import { asStaff, asThird, authorised, Caller, order, transferred, until } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { expect } from '../fixtures/test'

/** The code of the refusal of a call, or what it answered. */
async function refusal(who: Caller, path: string, body: unknown = {}): Promise<string> {
  try {
    return JSON.stringify(await who.post(path, body))
  } catch (error) {
    const [, status, said = '{}'] = /: (\d+) (.*)$/s.exec(String(error)) ?? []
    return `${status} ${(JSON.parse(said) as { code?: string }).code}`
  }
}

test('a second admin releases the value that rests on one admin’s statement', async ({
  page,
  staff: bob,
  admin,
}) => {
  const alice = new Caller(admin.page)
  await verifiedCustomer(page)
  const customer = new Caller(page)

  await test.step('a gift card that one approves is paid out by another', async () => {
    const card = await sellGiftCard(page, { value: '60' })
    await approveCard(alice, card, '60')
    const payout = await askPayout(page, { amount: '20.00' })
    expect(await refusal(alice, `/api/admin/payouts/${payout}/approve`)).toBe('403 own_credit')
    await bob.post(`/api/admin/payouts/${payout}/approve`)
  })

  await test.step('one admin confirms a receipt, another fulfills the order, and coin is sent once', async () => {
    const made = await order(customer, 'zelle')
    await transferred(bob, made, made.total)
    await until(bob, made, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
    expect(await asThird(bob, (carol) => refusal(carol, `/api/admin/orders/${made.id}/fulfill`))).toBe(
      '403 own_receipt',
    )
    await bob.post(`/api/admin/orders/${made.id}/fulfill`)
    await until(bob, made, 'sent', (seen) => ['sent', 'completed'].includes(seen.status))
    expect((await asStaff(bob, made)).transfers).toHaveLength(1)
  })
})

/** The number beside Approvals in the menu. */
async function waiting(page: Page): Promise<number> {
  const name = await page
    .getByRole('link', { name: /^Approvals/ })
    .first()
    .textContent()
  return Number(/\d+/.exec(name ?? '')?.[0] ?? '0')
}

test('the inbox shows all facts of a proposal, and another admin approves it', async ({
  customer,
  staff: bob,
  admin: { page: alice },
}) => {
  const made = await order(customer, 'card', 'USDC', '1234.56')
  const { payment } = await authorised(customer, bob, made)
  await bob.post(`/api/admin/payments/${payment.id}/process`)
  await until(bob, made, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
  await bob.page.goto('/admin/approvals')
  await expect(bob.page.getByRole('heading', { level: 1, name: texts.title })).toBeVisible()
  await new Caller(alice).post(`/api/admin/orders/${made.id}/refund`, { reason: 'Paid twice by mistake' })

  await test.step('the proposer sees the proposal and cannot approve it', async () => {
    await alice.goto('/admin/approvals?view=all')
    const row = alice.getByRole('row').or(alice.getByRole('article')).filter({ hasText: made.reference })
    await expect(row.first()).toContainText('Paid twice by mistake')
    await expect(row.first().getByRole('button', { name: texts.actions.approve })).toHaveCount(0)
    await accessible(alice)
  })

  await test.step('another finds it, with amount, customer and reason, and approves it', async () => {
    await bob.page.goto('/admin/approvals')
    const row = bob.page
      .getByRole('row')
      .or(bob.page.getByRole('article'))
      .filter({ hasText: made.reference })
    await expect(row.first()).toContainText('Paid twice by mistake')
    await expect(row.first()).toContainText(/\$1,\d{3}\.\d\d/)
    await expect.poll(() => waiting(bob.page), 'the menu counts it').toBeGreaterThan(0)
    await row.first().getByRole('button', { name: texts.actions.approve }).click()
    const dialog = bob.page.getByRole('dialog')
    await expect(dialog).toContainText('Paid twice by mistake')
    await expect(dialog).toContainText(/person-\w+@example\.com/)
    await accessible(bob.page)
    await dialog.getByRole('button', { name: texts.actions.approve, exact: true }).click()
    await expect(bob.page.getByText(texts.done.approve, { exact: true })).toBeVisible()
    await expect(row).toHaveCount(0)
    await until(bob, made, 'refunded', ({ metadata }) => metadata.resolution === 'refunded')
  })
})
