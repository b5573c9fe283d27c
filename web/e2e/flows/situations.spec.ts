import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { adminOrders } from '../../src/messages/admin'
import { attentionTexts } from '../../src/messages/admin-order'
import { situations as texts } from '../../src/messages/situations'
import {
  asStaff,
  authorised,
  Caller,
  fulfilled,
  type Made,
  order,
  ownAddress,
  ownAmount,
  paid,
  type Seen,
  transferred,
  until,
} from '../fixtures/orders'
import { signIn, verifiedCustomer } from '../fixtures/people'
import { arm, askOf, operator, simulator } from '../fixtures/stack'
import { expect, test as plain } from '../fixtures/test'

interface Pair {
  status: string
  attention?: string
}

/** The server's own table of every place an order can stand in. */
const pairs: Pair[] = JSON.parse(
  readFileSync(new URL('../../../models/situations.json', import.meta.url), 'utf8'),
)
const nameOf = ({ status, attention }: Pair) => (attention ? `${status} + ${attention}` : status)

/** A customer and an admin, signed in once for each worker. */
interface Crowd {
  customer: Awaited<ReturnType<BrowserContext['storageState']>>
  admin: Awaited<ReturnType<BrowserContext['storageState']>>
}

async function crowd(browser: Browser): Promise<Crowd> {
  const [one, two] = [await browser.newContext(), await browser.newContext()]
  await verifiedCustomer(await one.newPage())
  await signIn(await two.newPage(), 'bob@example.com')
  const both = { customer: await one.storageState(), admin: await two.storageState() }
  await one.close()
  await two.close()
  return both
}

interface Fixtures {
  customer: Caller
  staff: Caller
}

const test = plain.extend<Fixtures, { people: Crowd }>({
  people: [async ({ browser }, use) => use(await crowd(browser)), { scope: 'worker', timeout: 120_000 }],
  customer: async ({ browser, people }, use) => {
    const context = await browser.newContext({ storageState: people.customer })
    await use(new Caller(await context.newPage()))
    await context.close()
  },
  staff: async ({ browser, people }, use) => {
    const context = await browser.newContext({ storageState: people.admin })
    await use(new Caller(await context.newPage()))
    await context.close()
  },
})

interface Place {
  customer: Caller
  staff: Caller
  made: Made
}

/** How an order is brought to a pair, and how it is led out of it through the screens. */
interface Case {
  bring: (customer: Caller, staff: Caller) => Promise<Made>
  lead: (place: Place) => Promise<void>
  /** Where it ends. */
  end: 'sent' | 'refunded' | 'cancelled' | 'declined'
}

// What people press.

async function decideAs(
  page: Page,
  button: string | RegExp,
  fill: Record<string, string> = {},
  confirm?: string,
) {
  await page
    .getByRole('main')
    .or(page.locator('body'))
    .first()
    .getByRole('button', { name: button })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  for (const [label, text] of Object.entries(fill)) await dialog.getByLabel(label).fill(text)
  await dialog
    .getByRole('button', { name: confirm ?? button })
    .last()
    .click()
  await expect(dialog).toHaveCount(0, { timeout: 30_000 })
}

const why = { Reason: 'Looked at it together' }

/** A step may go on by itself while the button is on its way to be pressed; the dialog then says so. */
async function wentOn(place: Place, error: unknown): Promise<void> {
  await until(place.staff, place.made, 'sent', ({ status }) => status === 'sent').catch(() => {
    throw error
  })
  const cancel = place.staff.page.getByRole('dialog').getByRole('button', { name: 'Cancel' })
  if (await cancel.isVisible()) await cancel.click()
}

const admin = {
  fulfill: ({ staff }: Place) => decideAs(staff.page, /^Fulfill/),
  retry: (place: Place) => decideAs(place.staff.page, /^Retry/, why).catch((error) => wentOn(place, error)),
  process: ({ staff }: Place) => decideAs(staff.page, /^Process/),
  decline: ({ staff }: Place) => decideAs(staff.page, /^Decline/, why, 'Decline payment'),
  refund: ({ staff }: Place) => decideAs(staff.page, /^Refund/, why),
  amend: (address: string) => async (place: Place) =>
    decideAs(place.staff.page, /^Amend address/, { ...why, 'New destination address': address }),
}

/** A transfer that died is made again once somebody has looked at the network. */
const sendAnew = ({ staff }: Place) =>
  decideAs(staff.page, /^Retry/, { [adminOrders.networkProof]: 'Its inputs were spent by another' })

/** Money back to the balance, after the card's bank sent it back. */
async function refundToBalance({ staff: { page } }: Place): Promise<void> {
  await page
    .getByRole('button', { name: /^Refund/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^To the customer/).check()
  await dialog.getByLabel('Reason').fill(why.Reason)
  await dialog.getByRole('button', { name: /^Refund \$/ }).click()
  await expect(dialog).toHaveCount(0, { timeout: 30_000 })
}

/** Staff answer a dispute on their screen; the bank decides, or has it decided by the acceptance. */
function dispute(answer: 'Contest' | 'Accept', then: Case['lead'] = watch): Case['lead'] {
  return async (place) => {
    await decideAs(place.staff.page, new RegExp(`^${answer} dispute`), why)
    if (answer === 'Contest') {
      const { disputes } = await asStaff(place.staff, place.made)
      await simulator('stripe/dispute/decide', { dispute: disputes.at(-1)?.providerId ?? '', outcome: 'won' })
      await until(place.staff, place.made, 'undisputed', (seen) => seen.attention?.reason !== 'disputed')
    }
    await release.get(place.made.id)?.()
    await then(place)
  }
}

/** Once nothing is in the way, the order goes on by itself; a step that gave up meanwhile is retried. */
async function onward(place: Place): Promise<void> {
  await release.get(place.made.id)?.()
  const seen = await until(
    place.staff,
    place.made,
    'sent, or waiting for a retry',
    ({ status, actions }) => status === 'sent' || actions.includes('retry'),
  )
  if (seen.status !== 'sent') await admin.retry(place)
}

const person = {
  refund: async ({ customer: { page } }: Place) => {
    await page.getByRole('button', { name: 'Refund now' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Refund \$/ })
      .click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  },
  keepTrying: ({ customer: { page } }: Place) => page.getByRole('button', { name: 'Keep trying' }).click(),
  keepOrder: async ({ customer: { page } }: Place) => {
    await page.getByRole('button', { name: 'Keep as ordered' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep as ordered' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  },
  requote: async ({ customer: { page } }: Place) => {
    await page.getByRole('button', { name: 'See today’s price' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('columnheader', { name: 'As ordered' })).toBeVisible()
    await dialog.getByRole('button', { name: /^Accept / }).click()
    await expect(dialog).toHaveCount(0)
  },
  cancel: async ({ customer: { page } }: Place) => {
    await page.getByRole('button', { name: 'Cancel order' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  },
}

/** Goes on by itself, or with the provider: the screens only watch. */
const watch = async () => {}

const paidNow = ({ staff, made }: Place) =>
  until(
    staff,
    made,
    'paid',
    (seen) => seen.status === 'payment_approved' && !seen.attention && !seen.decision,
  )

async function thenFulfilled(place: Place): Promise<void> {
  await paidNow(place)
  await admin.fulfill(place)
}

/** A paid order whose Fulfill meets a fault; `lead` takes the fault away first. */
function faulty(
  fault: (made: Made) => Parameters<typeof arm>[0],
  lead: (place: Place) => Promise<void>,
  end: Case['end'] = 'sent',
): Case {
  const disarm = new Map<string, () => Promise<void>>()
  return {
    bring: async (customer, staff) => {
      const made = await paid(customer, staff)
      disarm.set(made.id, await arm(fault(made)))
      await fulfilled(staff, made)
      return made
    },
    lead: async (place) => {
      await disarm.get(place.made.id)?.()
      await lead(place)
    },
    end,
  }
}

const kraken =
  (code: string, count = -1) =>
  (made: Made) =>
    ({ provider: 'kraken', operation: 'AddOrder', match: made.amount, code, count }) as const
const bitgo =
  (code: string, count = -1) =>
  (made: Made) =>
    ({ provider: 'bitgo', operation: 'sendcoins', match: made.address, code, count }) as const

const wire = async (customer: Caller, staff: Caller, amount: (total: number) => number) => {
  const made = await order(customer, 'domestic_wire')
  await transferred(staff, made, amount(Number(made.total)).toFixed(2))
  return made
}

const release = new Map<string, () => Promise<void>>()

/**
 * A real order at the status, made to wait for a reason that no simulator can be told to cause at once (our own
 * fault, a lapse of days, a decision of a bank): written as the product writes it. What leads on is all real.
 */
function parked(
  base: Case,
  status: string,
  reason: string,
  lead: Case['lead'],
  end: Case['end'] = 'sent',
): Case {
  return {
    bring: async (customer, staff) => {
      const made = await base.bring(customer, staff)
      await until(staff, made, status, (seen) => seen.status === status && !seen.decision)
      await operator('park', { order: made.id, reason })
      return made
    },
    lead: async (place) => {
      await release.get(place.made.id)?.()
      await lead(place)
    },
    end,
  }
}

/** A paid order that stands still at a step, until its fault is taken away. */
function standing(fault: (made: Made) => Parameters<typeof arm>[0]): Case {
  return {
    bring: async (customer, staff) => {
      const made = await paid(customer, staff)
      release.set(made.id, await arm(fault(made)))
      await fulfilled(staff, made)
      return made
    },
    lead: watch,
    end: 'sent',
  }
}

const at = {
  payment_approved: { bring: paid, lead: watch, end: 'sent' } as Case,
  fulfilling: standing(kraken('drop_before')),
  filled: standing(bitgo('drop_before')),
  failed: standing(kraken('insufficient')),
  sent: {
    bring: async (customer, staff) => {
      const made = await paid(customer, staff)
      await fulfilled(staff, made)
      return made
    },
    lead: watch,
    end: 'sent',
  } as Case,
  pending: { bring: (customer) => order(customer, 'card'), lead: watch, end: 'sent' } as Case,
}

/** The price of a coin that no other test here buys is moved before Fulfill. */
function dearer(asset: 'ETH' | 'USDT', percent: number, lead: Case['lead']): Case {
  const before = new Map<string, number>()
  const move = async (ask: number) =>
    simulator('kraken/prices', { pair: `${asset}/USD`, ask: ask.toFixed(asset === 'ETH' ? 2 : 5) })
  return {
    bring: async (customer, staff) => {
      const made = await paid(customer, staff, asset)
      const ask = await askOf(asset)
      before.set(made.id, ask)
      await move(ask * (1 + percent / 100))
      await expect(async () => {
        const prices = await customer.get<{ cryptoPrices: Record<string, string> }>('/api/public/prices')
        expect(Number(prices.cryptoPrices[asset])).toBeGreaterThan(ask * (1 + percent / 200))
      }).toPass({ timeout: 40_000 })
      await fulfilled(staff, made)
      return made
    },
    lead: async (place) => {
      await lead(place)
      await move(before.get(place.made.id) ?? 0)
    },
    end: 'refunded',
  }
}

/** Something that the card's bank or Stripe does by itself to a paid order, wherever that stands. */
function atStripe(
  base: Case,
  status: string,
  what: 'dispute' | 'refund',
  lead: Case['lead'],
  end: Case['end'],
): Case {
  return {
    bring: async (customer, staff) => {
      const made = await base.bring(customer, staff)
      const { payment } = await until(staff, made, status, (seen) => seen.status === status && !seen.decision)
      await simulator(`stripe/${what}`, {
        payment: payment.stripePaymentIntentId ?? '',
        ...(what === 'refund' ? { amount: '1000' } : {}),
      })
      return made
    },
    lead,
    end,
  }
}

/** A refund that the card's bank sends back. */
function refundReturned(base: Case, lead: Case['lead'] = admin.refund, end: Case['end'] = 'refunded'): Case {
  return {
    bring: async (customer, staff) => {
      const made = await base.bring(customer, staff)
      await until(staff, made, 'refundable', (seen) => seen.actions.includes('refund') && !seen.decision)
      await arm({ provider: 'stripe', operation: 'refund', match: made.id, code: 'refund_failed', count: 1 })
      await staff.post(`/api/admin/orders/${made.id}/refund`, { reason: 'Asked for' }).catch(() => {})
      return made
    },
    lead,
    end,
  }
}

const cases: Record<string, Case> = {
  pending: { bring: (customer) => order(customer, 'card'), lead: person.cancel, end: 'cancelled' },
  payment_approved: { bring: paid, lead: admin.fulfill, end: 'sent' },
  fulfilling: faulty(kraken('hold_before', 1), watch),
  filled: faulty(bitgo('hold_before', 1), watch),
  sent: at.sent,
  failed: faulty(kraken('insufficient'), person.refund, 'refunded'),
  'pending + capture_unknown': {
    bring: async (customer, staff) => {
      const made = await order(customer, 'card')
      const { payment } = await authorised(customer, staff, made)
      const fault = {
        provider: 'stripe',
        operation: 'capture',
        match: made.id,
        code: 'drop_before',
        count: -1,
      } as const
      release.set(made.id, await arm(fault))
      void staff.post(`/api/admin/payments/${payment.id}/process`).catch(() => {})
      return made
    },
    lead: async (place) => {
      await release.get(place.made.id)?.()
      await admin.process(place)
      await paidNow(place)
      await admin.refund(place)
    },
    end: 'refunded',
  },
  'pending + money_over': {
    bring: (customer, staff) => wire(customer, staff, (total) => total + 20),
    lead: async (place) => {
      await person.keepOrder(place)
      await thenFulfilled(place)
    },
    end: 'sent',
  },
  'pending + money_short': {
    bring: (customer, staff) => wire(customer, staff, (total) => total - 20),
    lead: person.refund,
    end: 'refunded',
  },
  'failed + money_late': {
    bring: async (customer, staff) => {
      const made = await order(customer, 'domestic_wire')
      await customer.post(`/api/orders/${made.id}/cancel`)
      await transferred(staff, made, made.total)
      return made
    },
    lead: async (place) => {
      await person.requote(place)
      await thenFulfilled(place)
    },
    end: 'sent',
  },
  'pending + step_stuck': {
    bring: async (customer, staff) => {
      const made = await order(customer, 'card')
      const { payment } = await authorised(customer, staff, made)
      const fault = {
        provider: 'stripe',
        operation: 'cancel',
        match: made.id,
        code: 'http:503_before',
        count: -1,
      } as const
      release.set(made.id, await arm(fault))
      void staff
        .post(`/api/admin/payments/${payment.id}/reject`, { reason: 'Not the cardholder' })
        .catch(() => {})
      return made
    },
    lead: async (place) => {
      await release.get(place.made.id)?.()
      await admin.decline(place)
    },
    end: 'declined',
  },
  'payment_approved + address_blocked': {
    bring: async (customer, staff) => {
      const made = await paid(customer, staff, 'USDC')
      await operator('block', { network: 'ethereum', address: made.address })
      await fulfilled(staff, made)
      return made
    },
    lead: admin.refund,
    end: 'refunded',
  },
  'fulfilling + exchange_unknown': faulty(kraken('drop_before'), admin.retry),
  'filled + transfer_unknown': faulty(bitgo('drop_before'), admin.retry),
  'filled + transfer_awaiting_approval': faulty(bitgo('approval', 1), async ({ staff, made }) => {
    const { transfers } = await until(staff, made, 'asked', (seen: Seen) =>
      Boolean(seen.transfers.at(-1)?.approvalId),
    )
    await simulator(`bitgo/approvals/${transfers.at(-1)?.approvalId}`, { state: 'approved' })
  }),
  'filled + address_refused': faulty(bitgo('decline:400:InvalidAddress', 1), admin.amend(ownAddress('BTC'))),
  'filled + address_blocked': {
    bring: async (customer, staff) => {
      const made = await paid(customer, staff)
      const go = await arm(kraken('hold_before', 1)(made))
      await fulfilled(staff, made)
      await operator('block', { network: 'bitcoin', address: made.address })
      await go()
      return made
    },
    lead: admin.refund,
    end: 'refunded',
  },
  'payment_approved + price_moved': dearer('ETH', 5, person.refund),
  'payment_approved + price_unavailable': dearer('USDT', 20, admin.refund),
  'payment_approved + refund_failed': refundReturned(at.payment_approved),
  'failed + refund_failed': refundReturned(at.failed),
  'filled + refund_failed': refundReturned(faulty(bitgo('decline:400:InvalidAddress', 1), watch)),

  'sent + refund_failed': refundReturned(at.sent, refundToBalance, 'sent'),

  'payment_approved + disputed': atStripe(
    at.payment_approved,
    'payment_approved',
    'dispute',
    dispute('Accept'),
    'refunded',
  ),
  'fulfilling + disputed': atStripe(
    at.fulfilling,
    'fulfilling',
    'dispute',
    dispute('Contest', onward),
    'sent',
  ),
  'filled + disputed': atStripe(at.filled, 'filled', 'dispute', dispute('Contest', onward), 'sent'),
  'failed + disputed': atStripe(at.failed, 'failed', 'dispute', dispute('Accept'), 'refunded'),
  'sent + disputed': atStripe(at.sent, 'sent', 'dispute', dispute('Contest'), 'sent'),
  'payment_approved + refunded_elsewhere': atStripe(
    at.payment_approved,
    'payment_approved',
    'refund',
    admin.refund,
    'refunded',
  ),
  'fulfilling + refunded_elsewhere': atStripe(at.fulfilling, 'fulfilling', 'refund', onward, 'sent'),
  'filled + refunded_elsewhere': atStripe(at.filled, 'filled', 'refund', onward, 'sent'),
  'failed + refunded_elsewhere': atStripe(at.failed, 'failed', 'refund', admin.refund, 'refunded'),

  'pending + checkout_failed': {
    bring: async (customer) => {
      const amount = ownAmount('BTC')
      await arm({
        provider: 'stripe',
        operation: 'create_checkout',
        match: amount,
        code: 'decline',
        arg: 'parameter_invalid_integer',
        count: 1,
      })
      return order(customer, 'card', 'BTC', amount)
    },
    lead: async (place) => {
      await admin.retry(place)
      await until(place.staff, place.made, 'payable', (seen) => !seen.attention)
      await person.cancel(place)
    },
    end: 'cancelled',
  },
  'sent + transfer_failed': {
    bring: async (customer, staff) => {
      const made = await at.sent.bring(customer, staff)
      const { bitgoTransferId } = await until(staff, made, 'sent', (seen) => seen.status === 'sent')
      await simulator(`bitgo/transfers/${bitgoTransferId}`, { state: 'removed' })
      return made
    },
    lead: async (place) => {
      const { bitgoTransferId } = await asStaff(place.staff, place.made)
      await simulator(`bitgo/transfers/${bitgoTransferId}`, { state: 'failed' })
      await sendAnew(place) // it is looked at again, and found dead
      await until(place.staff, place.made, 'dead', (seen) => seen.status === 'failed' && !seen.decision)
      await sendAnew(place)
    },
    end: 'sent',
  },

  'payment_approved + kyc_revoked': parked(
    at.payment_approved,
    'payment_approved',
    'kyc_revoked',
    admin.retry,
  ),
  'payment_approved + wallet_short': parked(
    at.payment_approved,
    'payment_approved',
    'wallet_short',
    admin.retry,
  ),
  'payment_approved + refund_blocked': parked(
    at.payment_approved,
    'payment_approved',
    'refund_blocked',
    admin.refund,
    'refunded',
  ),
  'failed + refund_blocked': parked(at.failed, 'failed', 'refund_blocked', admin.retry),
  'filled + custody_cap': parked(at.filled, 'filled', 'custody_cap', admin.retry),
  'filled + transfer_failed': parked(at.filled, 'filled', 'transfer_failed', sendAnew),
  'sent + transfer_unconfirmed': parked(at.sent, 'sent', 'transfer_unconfirmed', admin.retry),
}

for (const reason of ['price_moved', 'refund_blocked', 'refund_failed'])
  cases[`fulfilling + ${reason}`] = parked(at.fulfilling, 'fulfilling', reason, admin.retry)
for (const status of ['payment_approved', 'fulfilling', 'filled', 'sent', 'failed'] as const)
  cases[`${status} + step_stuck`] = parked(at[status], status, 'step_stuck', admin.retry)

// They wait more than they work: side by side.
test.describe.configure({ mode: 'parallel' })

plain('every place of the server’s table has its case, and no case is without a place', () => {
  expect(Object.keys(cases).sort()).toEqual(pairs.map(nameOf).sort())
})

// Confirmation waits, so that what is sent can still be looked at.
test.beforeAll(() => simulator('bitgo/pace', { confirmed: '20m' }))

for (const pair of pairs) {
  const name = nameOf(pair)
  const one = cases[name]
  if (!one) continue
  test(`an order that is ${name} is told to both, and led to its end: ${one.end}`, async ({
    customer,
    staff,
  }) => {
    test.setTimeout(240_000)
    const made = await one.bring(customer, staff)
    await until(
      staff,
      made,
      name,
      (seen) => seen.status === pair.status && seen.attention?.reason === pair.attention,
    )

    await test.step('the customer reads where the order stands', async () => {
      await customer.page.goto(`/orders/${made.id}`)
      await expect(customer.page.getByRole('heading', { level: 1 })).toBeVisible()
      if (pair.attention || pair.status === 'failed') {
        const card = customer.page.locator('[data-situation]')
        await expect(card).toBeVisible()
        await expect(card.getByText(texts.money, { exact: true })).toBeVisible()
        await expect(card.getByRole('link', { name: texts.help })).toHaveAttribute(
          'href',
          new RegExp(`^mailto:.*${made.reference}`),
        )
      }
    })

    await test.step('staff read why, and what to do', async () => {
      await staff.page.goto(`/admin/orders/${made.id}`)
      await expect(staff.page.getByRole('heading', { level: 1 })).toBeVisible()
      const told = pair.attention ? attentionTexts[pair.attention] : undefined
      if (told) {
        await expect(staff.page.getByText(told.title).first()).toBeVisible()
        await expect(staff.page.getByText(told.todo)).toBeVisible()
      }
    })

    await test.step('a button, or the provider, leads it to its end', async () => {
      await one.lead({ customer, staff, made })
      await until(staff, made, one.end, (seen) =>
        one.end === 'sent' ? seen.status === 'sent' && !seen.attention : seen.metadata.resolution === one.end,
      )
    })
  })
}
