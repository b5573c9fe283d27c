import { randomUUID } from 'node:crypto'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import type {
  AdminRecovery,
  AdminReward,
  ClosedCredit,
  ReconciliationBreak,
  RiskReview,
} from '../../src/api/types.gen'
import { admin, adminOrders, adminPayments } from '../../src/messages/admin'
import { closedCredits } from '../../src/messages/admin-closed-credits'
import { adminGiftCards } from '../../src/messages/admin-gift-cards'
import { inbox } from '../../src/messages/admin-inbox'
import { adminKyc } from '../../src/messages/admin-kyc'
import { adminMoney } from '../../src/messages/admin-money'
import { adminNav } from '../../src/messages/admin-nav'
import { proposals } from '../../src/messages/admin-order'
import { adminPayouts } from '../../src/messages/admin-payouts'
import { queue, reasonPresets } from '../../src/messages/admin-queue'
import { adminReconciliation } from '../../src/messages/admin-reconciliation'
import { adminReferrals } from '../../src/messages/admin-referrals'
import { adminRisk } from '../../src/messages/admin-risk'
import { adminVouchers } from '../../src/messages/admin-vouchers'
import { adminSecurity } from '../../src/messages/two-factor'
import { askPayout, earn } from '../fixtures/balance'
import { test } from '../fixtures/crowd'
import { expectFits } from '../fixtures/fits'
import { sellGiftCard } from '../fixtures/gift-cards'
import { authorised, Caller, order, paid, until } from '../fixtures/orders'
import { answerWith } from '../fixtures/said'
import { expect } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'

/** Card payments that wait for a decision, made by the API. */
async function cardPayments(customer: Caller, staff: Caller, n: number): Promise<string[]> {
  const references: string[] = []
  const left = Array.from({ length: n }).values()
  const make = async () => {
    for (const _ of left) {
      const made = await order(customer, 'card', 'BTC', '0.0006')
      await authorised(customer, staff, made)
      references.push(made.reference)
    }
  }
  await Promise.all(Array.from({ length: 5 }, make))
  return references
}

test('payments: keys move, select, act and lead on to the next row', async ({ customer, staff }) => {
  const made = await cardPayments(customer, staff, 4)
  const { page } = staff
  await page.goto('/admin/payments')
  const row = (reference: string) => page.locator('[data-row]').filter({ hasText: reference })
  for (const reference of made) await expect(row(reference)).toBeVisible()
  const order4 = await page
    .locator('[data-row]')
    .filter({ hasText: new RegExp(made.join('|')) })
    .allInnerTexts()
  const shown = order4.map((text) => made.find((reference) => text.includes(reference)) ?? '')
  const entry = (at: number) => row(shown[at] ?? '').locator('[data-open]')

  await test.step('a row is 40 px, says who and what, and counts stand in the sidebar', async () => {
    expect((await row(shown[0] ?? '').boundingBox())?.height).toBeLessThanOrEqual(41)
    await expect(row(shown[0] ?? '')).toContainText('Casey Lin')
    await expect(row(shown[0] ?? '')).toContainText('Visa •••• 4242')
    await expect(page.getByRole('link', { name: /^Pending Payments \d+ waiting/ })).toBeVisible()
  })

  await test.step('the skip link leads past sidebar and top bar', async () => {
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.locator('#main')).toBeFocused()
    expect(await page.locator('#main').getByRole('link', { name: 'Back office' }).count()).toBe(0)
  })

  await test.step('Enter opens the row; the question mark lists the keys', async () => {
    await entry(0).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toContainText(shown[0] ?? '')
    await page.keyboard.press('Escape')
    await expect(entry(0)).toBeFocused()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Decline')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(entry(0)).toBeFocused()
    await page.keyboard.press('j')
    await expect(entry(1)).toBeFocused()
    await page.keyboard.press('k')
    await expect(entry(0)).toBeFocused()
    expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([])
  })

  await test.step('P captures, and the focus goes to the next row', async () => {
    await page.keyboard.press('p')
    await expect(page.getByRole('dialog')).toContainText('Capture this payment?')
    await page.keyboard.press('Enter')
    await expect(entry(1)).toBeFocused()
    await expect(row(shown[0] ?? '')).toHaveCount(0)
    await expect(entry(1)).toBeFocused()
  })

  await test.step('D, the number of a common reason and Enter decline; a figure after text is text', async () => {
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog')
    const reason = dialog.getByLabel(adminPayments.reason, { exact: true })
    await page.keyboard.type('In 2')
    await expect(reason).toHaveValue('In 2')
    await reason.fill('')
    await page.keyboard.press('2')
    await expect(reason).toHaveValue(reasonPresets.decline[1])
    await expect(reason).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(row(shown[1] ?? '')).toHaveCount(0)
    await expect(entry(2)).toBeFocused()
  })

  await test.step('X selects, and a refusal among several is listed with its sentence', async () => {
    await page.route('**/api/admin/payments/*/process', async (route, request) => {
      const first = request.url().includes((await row(shown[2] ?? '').getAttribute('data-row')) ?? 'none')
      return first
        ? route.fulfill({
            status: 409,
            contentType: 'application/json',
            body: '{"message":"The card was declined.","code":"card_declined"}',
          })
        : route.continue()
    })
    await page.keyboard.press('x')
    await page.keyboard.press('x')
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.keyboard.press('p')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Capture 2 payments?')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('status').filter({ hasText: '1 done, 1 failed' })).toBeVisible()
    await expect(dialog.getByRole('listitem').first()).toContainText('The card was declined.')
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(row(shown[3] ?? '')).toHaveCount(0)
    await expect(row(shown[2] ?? '')).toBeVisible()
  })

  await test.step('columns are chosen in the address, and a view has a name', async () => {
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Payment intent' }).check()
    await expect(page).toHaveURL(/cols=.*intent/)
    await expect(page.getByRole('columnheader', { name: 'Payment intent' })).toBeVisible()
    await page.getByText('Views', { exact: true }).click()
    await page.getByLabel('Name of this view').fill('With intents')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.goto('/admin/payments')
    await page.getByText('Views', { exact: true }).click()
    await page.getByRole('link', { name: 'With intents' }).click()
    await expect(page).toHaveURL(/cols=.*intent/)
  })
})

/** A queue, one of its rows, and an act on it. */
interface Case {
  path: string
  row: string
  key: string
  /** What `?` calls the act. */
  act: string
  /** What its dialog is called. */
  dialog: string
}

/** Real rows, of what the API brings about at once. */
async function brought(customer: Caller, staff: Caller, alice: Caller): Promise<Case[]> {
  const { email } = await customer.get<{ email: string }>('/api/auth/user')
  const held = await order(customer, 'card')
  await authorised(customer, staff, held)
  const ready = await paid(customer, staff)
  const large = await order(customer, 'card', 'USDC', '1234.56')
  const { payment } = await authorised(customer, staff, large)
  await staff.post(`/api/admin/payments/${payment.id}/process`)
  await until(staff, large, 'paid', (seen) => seen.status === 'payment_approved' && !seen.decision)
  await alice.post(`/api/admin/orders/${large.id}/refund`, { reason: 'Charged twice' })
  await until(staff, large, 'proposed', (seen) => Boolean(seen.proposal))
  await earn(customer.page, staff.page, '100')
  const payout = await askPayout(customer.page, { amount: '20' })
  const card = await sellGiftCard(customer.page, { value: '50' })
  const ticket = await openTicket(customer.page, 'Where is my coin?')
  const of = async (path: string) => (await customer.get<{ reference: string }>(path)).reference
  const [payoutRef, cardRef, ticketRef] = [
    await of(`/api/payouts/${payout}`),
    await of(`/api/gift-cards/${card}`),
    await of(`/api/support/tickets/${ticket}`),
  ]
  const voucher = await staff.post<{ reference: string }>('/api/admin/vouchers', {
    amount: '25',
    currency: 'USD',
  })
  const line = `ZELLE-${randomUUID().slice(0, 8)}`
  await staff.post('/api/admin/money/unplaced', {
    amount: '41.50',
    bankReference: line,
    receivedOn: new Date().toISOString().slice(0, 10),
    rail: 'zelle',
  })
  const proposed = { path: `/admin/orders?proposed=true&q=${large.reference}`, row: large.reference }
  const sold = { path: `/admin/gift-cards?status=in_review&q=${cardRef}`, row: cardRef }
  return [
    {
      path: '/admin/payments',
      row: held.reference,
      key: 'p',
      act: adminPayments.process,
      dialog: adminPayments.processTitle,
    },
    {
      path: `/admin/orders?q=${ready.reference}`,
      row: ready.reference,
      key: 'f',
      act: adminOrders.fulfill,
      dialog: adminOrders.fulfillTitle,
    },
    { ...proposed, key: 'a', act: proposals.approve, dialog: proposals.approveTitle.refund },
    { ...proposed, key: 'd', act: proposals.reject, dialog: proposals.rejectTitle },
    { ...sold, key: 'a', act: adminGiftCards.approve, dialog: adminGiftCards.approveTitle },
    { ...sold, key: 'r', act: adminGiftCards.reject, dialog: adminGiftCards.rejectTitle },
    {
      path: `/admin/payouts?q=${payoutRef}`,
      row: payoutRef,
      key: 'r',
      act: adminPayouts.reject,
      dialog: adminPayouts.rejectTitle,
    },
    {
      path: `/admin/kyc?standing=approved&q=${email}`,
      row: email,
      key: 'x',
      act: adminKyc.actions.revoke.button,
      dialog: adminKyc.actions.revoke.title,
    },
    {
      path: `/admin/support?q=${ticketRef}`,
      row: ticketRef,
      key: 'c',
      act: inbox.close,
      dialog: inbox.closeTitle,
    },
    {
      path: `/admin/vouchers?q=${voucher.reference}`,
      row: voucher.reference,
      key: 'v',
      act: adminVouchers.actions.void,
      dialog: adminVouchers.dialogs.void.title,
    },
    {
      path: '/admin/money',
      row: line,
      key: 'p',
      act: adminMoney.actions.place,
      dialog: adminMoney.dialogs.place.title,
    },
  ]
}

const day = new Date(Date.now() - 86_400_000).toISOString()
const someone = { userId: randomUUID(), customerEmail: 'casey.lin.with.a.long.name@example.com' }
const twice = <Row>(make: (at: number) => Row) => [make(1), make(2)]

/** Rows that take hours to come about, or many people: the list is answered with them. */
async function answered(page: Page): Promise<Case[]> {
  await answerWith<RiskReview>(page, /\/api\/admin\/risk\/reviews/, () =>
    twice((at) => ({
      ...someone,
      id: `risk-${at}`,
      reference: `TP-RISK-000${at}`,
      kind: 'order',
      objectId: randomUUID(),
      actions: ['release', 'refuse'],
      amount: '0.0012',
      asset: 'BTC',
      total: '1120.00',
      twoAbove: '1000.00',
      network: 'bitcoin',
      destAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      reasons: ['blocked_address', 'new_account_large_order'],
      score: 90,
      status: 'payment_approved',
      waits: true,
      deciding: false,
      outcome: null,
      createdAt: day,
      closedAt: null,
      decidedBy: null,
      firstBy: null,
      firstReason: '',
      reason: '',
    })),
  )
  await answerWith<ClosedCredit>(page, /\/api\/admin\/closed-credits/, () =>
    twice((at) => ({
      ...someone,
      id: `credit-${at}`,
      actions: ['pay_back'],
      amount: '1120.00',
      bankReference: null,
      createdAt: day,
      event: 'refund_to_balance',
      firstAt: null,
      firstBy: '',
      orderId: randomUUID(),
      orderReference: `TP-GONE-000${at}`,
      paidAt: null,
      paidBack: false,
      paidBy: '',
      reason: null,
      takesTwo: true,
    })),
  )
  await answerWith<ReconciliationBreak>(page, /\/api\/admin\/reconciliation\/breaks(\?|$)/, () =>
    twice((at) => ({
      id: randomUUID(),
      account: null,
      accounts: ['equity'],
      actions: ['resolve'],
      booked: '0',
      told: '0.09123457',
      difference: '0.09123457',
      currency: 'BTC',
      cause: 'coin_arrived',
      closedAt: null,
      closedBy: null,
      createdAt: day,
      holder: 'bitgo',
      kind: 'receipt',
      lastAt: day,
      objectId: null,
      objectKind: null,
      outcome: null,
      reason: null,
      reference: null,
      subject: `${'ab12'.repeat(15)}000${at}`,
      url: 'https://example.com/',
      wanted: null,
    })),
  )
  await answerWith<AdminReward>(page, /\/api\/admin\/referrals(\?|$)/, () =>
    twice((at) => ({
      id: `reward-${at}`,
      reference: `RW-000${at}`,
      actions: ['approve', 'refuse'],
      amount: '10.00',
      createdAt: day,
      decidedBy: null,
      deciding: false,
      friendEmail: 'friend@example.com',
      friendId: randomUUID(),
      kind: 'referral',
      orderId: randomUUID(),
      orderReference: 'TP-FRND-0001',
      payeeEmail: someone.customerEmail,
      payeeId: someone.userId,
      reason: null,
      rewardedAt: null,
      signals: ['same_wallet', 'same_browser'],
      status: 'held',
      workflowUrl: null,
    })),
  )
  await answerWith<AdminRecovery>(page, /\/api\/admin\/recoveries(\?|$)/, () =>
    twice((at) => ({
      ...someone,
      id: `recovery-${at}`,
      reference: `RC-000${at}`,
      actions: ['vouch', 'refuse'],
      closedAt: null,
      createdAt: day,
      customerName: 'Casey Lin',
      deciding: null,
      expiresAt: day,
      readyAt: day,
      status: 'asked',
      vouchedAt: null,
      vouchedBy: null,
    })),
  )
  const risk = { path: '/admin/risk', row: 'TP-RISK-0002' }
  return [
    { ...risk, key: 'a', act: adminRisk.actions.release, dialog: adminRisk.dialogs.release.title },
    { ...risk, key: 'r', act: adminRisk.actions.refuse, dialog: adminRisk.dialogs.refuse.title },
    {
      path: '/admin/closed-credits',
      row: 'TP-GONE-0002',
      key: 'p',
      act: closedCredits.payBack,
      dialog: closedCredits.dialogTitle,
    },
    {
      path: '/admin/reconciliation',
      row: '0.09123457',
      key: 'b',
      act: adminReconciliation.actions.resolve,
      dialog: adminReconciliation.dialogs.resolve.title,
    },
    {
      path: '/admin/referrals',
      row: 'RW-0002',
      key: 'a',
      act: adminReferrals.actions.approve,
      dialog: adminReferrals.dialogs.approve.title,
    },
    {
      path: '/admin/security',
      row: 'RC-0002',
      key: 'a',
      act: adminSecurity.actions.vouch,
      dialog: `${adminSecurity.actions.vouch}: RC-0002`,
    },
  ]
}

/** One queue by keyboard alone, and its rows where they are narrowest. */
async function worked(page: Page, { path, row: text, key, act, dialog }: Case): Promise<void> {
  const rows = page.locator('[data-queue]').last().locator('[data-row]')
  const row = rows.filter({ hasText: text }).first()
  const entry = row.locator('[data-open]')
  const title = (name: string) => page.getByRole('dialog', { name })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(path)
  await expect(row).toBeVisible()
  expect((await row.boundingBox())?.height, 'a row is 40 px').toBeLessThanOrEqual(41)

  await page.keyboard.press('j')
  await expect(page.locator('[data-queue] [data-row] [data-open]').first()).toBeFocused()
  const opens = await rows.locator('[data-open]').all()
  if (opens[1]) {
    await opens[0]?.focus()
    await page.keyboard.press('j')
    await expect(opens[1]).toBeFocused()
    await page.keyboard.press('k')
    await expect(opens[0] ?? entry).toBeFocused()
  }

  const here = page.url()
  await entry.focus()
  await page.keyboard.press('Enter')
  await expect(async () => {
    const dialogs = await page.getByRole('dialog').count()
    expect(dialogs > 0 || page.url() !== here).toBe(true)
  }).toPass()
  if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape')
  else await page.goBack()
  await expect(page).toHaveURL(here)
  await expect(row).toBeVisible()

  await entry.focus()
  await page.keyboard.press('?')
  await expect(title(queue.keysTitle)).toContainText(act)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await entry.focus()
  await page.keyboard.press(key)
  await expect(title(dialog)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.setViewportSize({ width: 1024, height: 800 })
  await page.reload()
  await expect(row).toBeVisible()
  await expectFits(page, path)
  const over = await page
    .locator('[data-queue] > div')
    .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth))
  expect(over, `${path} scrolls its table sideways`).toEqual(over.map(() => 0))
}

test('queues: every one is rows of 40 px, and worked off by keys', async ({
  customer,
  staff,
  admin: { page: other },
}) => {
  const cases = [...(await brought(customer, staff, new Caller(other))), ...(await answered(staff.page))]
  for (const one of cases) await test.step(`${one.path} ${one.key}`, () => worked(staff.page, one))

  await test.step('an order in two queues counts once in the sidebar', async () => {
    const { page } = staff
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/admin/customers')
    await expect(async () => {
      const { actionable } = await staff.get<{ actionable: number }>('/api/admin/orders/summary')
      const name = `${adminNav.orders} ${actionable} ${admin.waiting}`
      await expect(page.getByRole('link', { name })).toBeVisible({ timeout: 2_000 })
    }).toPass()
  })

  await test.step('columns stay chosen when another part of a queue is shown', async () => {
    const { page } = staff
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const { path, other } of [
      { path: '/admin/risk', other: adminRisk.views.closed },
      { path: '/admin/money', other: adminMoney.views.placed },
      { path: '/admin/closed-credits', other: closedCredits.views.sent_back },
    ]) {
      await page.goto(`${path}?cols=reference,order,amount,total`)
      await expect(page.getByRole('columnheader', { name: queue.status })).toHaveCount(0)
      await expect(page.getByRole('columnheader', { name: queue.reference })).toBeVisible()
      await page.getByRole('button', { name: other }).click()
      await expect(page, path).toHaveURL(/view=.*/)
      await expect(page, path).toHaveURL(/cols=reference/)
    }
  })
})

/** A measurement and no check: docs/performance.md says how it is taken. */
const measured = process.env.E2E_MEASURE ? test : () => undefined

measured('measured: 50 card payments decided by keyboard, one key a second', async ({ customer, staff }) => {
  const { payments: before } = await staff.get<{ payments: { id: string }[] }>(
    '/api/admin/payments/pending?actionable=true',
  )
  for (const { id } of before)
    await staff.post(`/api/admin/payments/${id}/reject`, { reason: 'Not measured' })
  const made = await cardPayments(customer, staff, 50)
  const { page } = staff
  await page.goto('/admin/payments')
  const mine = page.locator('[data-row]').filter({ hasText: new RegExp(made.join('|')) })
  await expect(mine).toHaveCount(50)
  const began = Date.now()
  let keys = 0
  const press = async (key: string) => {
    await page.keyboard.press(key)
    keys += 1
    const next = began + keys * 1000
    await page.waitForFunction((at) => Date.now() >= at, next, { polling: 20 })
  }
  for (let at = 0; at < 50; at += 1) await press('x')
  await press('p')
  await press('Enter')
  await expect(page.getByRole('status').filter({ hasText: '50 done' })).toBeVisible({ timeout: 120_000 })
  const seconds = (Date.now() - began) / 1000
  process.stdout.write(`50 card payments: ${keys} keys, ${seconds.toFixed(1)} s\n`)
  expect(seconds).toBeLessThanOrEqual(60)
})
