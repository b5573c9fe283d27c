import { readdirSync, readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { hostile } from '../../src/lib/amount.fixture'
import { adminGiftCards } from '../../src/messages/admin-gift-cards'
import { adminMoney } from '../../src/messages/admin-money'
import { adminOrders } from '../../src/messages/admin-order'
import { adminPayments } from '../../src/messages/admin-payments'
import { adminPricing } from '../../src/messages/admin-pricing'
import { adminRisk, riskRules } from '../../src/messages/admin-risk'
import { adminTreasury } from '../../src/messages/admin-treasury'
import { buy } from '../../src/messages/buy'
import { calculator } from '../../src/messages/calculator'
import { due, figure, type In, type Told } from '../fixtures/amounts'
import { approveCard } from '../fixtures/balance'
import { test } from '../fixtures/crowd'
import { sellGiftCard } from '../fixtures/gift-cards'
import { order, paid } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { press } from '../fixtures/presses'
import { expect } from '../fixtures/test'

/** Every text of the fixture is put into a field, as a paste is, and the field is checked after each. */
async function feed(field: Locator, unit: In): Promise<void> {
  await expect(field).toBeEditable()
  const seen = await field.evaluate(
    async (input: HTMLInputElement, texts) => {
      const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
      let frame: Element | null = input
      while (frame && !frame.querySelector(':scope > [aria-live]')) frame = frame.parentElement
      const below = frame?.querySelector(':scope > [aria-live]')
      const all: { shown: string; echo: string; error: string; offers: string[] }[] = []
      for (const text of texts) {
        put?.call(input, text)
        input.dispatchEvent(new Event('input', { bubbles: true }))
        await new Promise((done) => setTimeout(done))
        all.push({
          shown: input.value,
          echo: below?.querySelector('[data-understood]')?.textContent ?? '',
          error: document.getElementById(`${input.id}-error`)?.textContent ?? '',
          offers: [...(below?.querySelectorAll('button') ?? [])].map((button) => button.textContent ?? ''),
        })
      }
      return all
    },
    hostile.map(([text]) => text),
  )
  const wanted = hostile.map((row) => due(row, unit))
  const own = new Set(wanted.map(({ error }) => error))
  const told = seen.map(
    ({ shown, echo, error, offers }): Told => ({
      shown,
      echo: figure(echo),
      // A form may have a message of its own about an amount, such as its limit.
      error: own.has(error) ? error : undefined,
      offers: offers.map(figure),
    }),
  )
  expect(told).toEqual(wanted)
}

/** What the fields are about. */
interface World {
  customer: Page
  staff: Page
  /** A gift card that waits for its review, one that was approved, and one that was sold on. */
  cards: { waiting: string; approved: string; realised: string }
  /** An order that waits for its transfer, and one that was paid. */
  orders: { unpaid: string; paid: string }
}

interface Row extends In {
  /** How the source writes it: the file in src/features, and what follows `<AmountField`. */
  source: string
  name: string
  open: (world: World) => Promise<Locator>
}

async function onPricing(staff: Page, label: string): Promise<Locator> {
  await staff.goto('/admin/pricing')
  return staff.getByRole('region', { name: 'Revolut', exact: true }).getByLabel(label)
}

const usd = { unit: 'USD', decimals: 2 }
/** The server says how fine these may be. */
const free = { decimals: 18 }

const fields: readonly Row[] = [
  {
    source: 'buy/purchase-amount.tsx id="amount"',
    name: 'buy, in coin',
    unit: 'BTC',
    decimals: 8,
    open: async ({ customer }) => {
      await customer.goto('/buy')
      return customer.locator('#amount')
    },
  },
  {
    source: 'buy/purchase-amount.tsx id="amount"',
    name: 'buy, in dollars',
    ...usd,
    open: async ({ customer }) => {
      await customer.goto('/buy')
      await press(customer, buy.swap('BTC', buy.dollars))
      return customer.getByLabel(buy.dollarsLabel)
    },
  },
  {
    source: 'dashboard/purchase-card.tsx id="swap-amount"',
    name: 'the dashboard’s estimate',
    ...usd,
    open: async ({ customer }) => {
      await customer.goto('/#crypto-swap') // opens the form, which is folded for a customer with an order
      return customer.locator('#swap-amount')
    },
  },
  {
    source: 'gift-cards/trade-form.tsx id="gift-card-value"',
    name: 'a gift card’s value',
    ...usd,
    open: async ({ customer }) => {
      await customer.goto('/#gift-cards')
      return customer.locator('#gift-card-value')
    },
  },
  {
    source: 'payouts/request-screen.tsx id="payout-amount"',
    name: 'a payout',
    ...usd,
    open: async ({ customer }) => {
      await customer.goto('/payouts/new')
      return customer.locator('#payout-amount')
    },
  },
  {
    source: 'admin/vouchers/voucher-generate.tsx id="voucher-custom"',
    name: 'a voucher’s custom amount',
    unit: 'BTC',
    ...free,
    open: async ({ staff }) => {
      await staff.goto('/admin/vouchers')
      await staff.locator('#voucher-amount').selectOption('custom')
      await staff.locator('#voucher-currency').selectOption('BTC')
      return staff.locator('#voucher-custom')
    },
  },
  {
    source: 'admin/gift-cards/gift-card-decision.tsx id="card-value"',
    name: 'what a gift card was found to hold',
    ...usd,
    open: async ({ staff, cards }) => {
      await staff.goto(`/admin/gift-cards/${cards.waiting}`)
      await press(staff, adminGiftCards.approve)
      return staff.locator('#card-value')
    },
  },
  {
    source: 'admin/gift-cards/gift-card-decision.tsx id="realised-amount"',
    name: 'what a gift card brought in',
    ...usd,
    open: async ({ staff, cards }) => {
      await staff.goto(`/admin/gift-cards/${cards.approved}`)
      await press(staff, adminGiftCards.realise)
      return staff.locator('#realised-amount')
    },
  },
  {
    source: 'admin/gift-cards/gift-card-claim.tsx id="claim-amount"',
    name: 'what is claimed for a used gift card',
    ...usd,
    open: async ({ staff, cards }) => {
      await staff.goto(`/admin/gift-cards/${cards.realised}`)
      await press(staff, adminGiftCards.claim)
      return staff.locator('#claim-amount')
    },
  },
  {
    source: 'admin/gift-cards/gift-card-claim.tsx id="claim-moved"',
    name: 'what a gift card’s buyer recovered',
    ...usd,
    open: async ({ staff, cards }) => {
      await staff.goto(`/admin/gift-cards/${cards.realised}`)
      await press(staff, adminGiftCards.claim)
      return staff.locator('#claim-moved')
    },
  },
  {
    source: 'admin/payments/confirm-receipt-dialog.tsx id="received-amount"',
    name: 'a receipt',
    ...usd,
    open: async ({ staff, orders }) => {
      await staff.goto(`/admin/orders/${orders.unpaid}`)
      await press(staff, adminPayments.confirmReceipt)
      return staff.locator('#received-amount')
    },
  },
  {
    source: 'admin/orders/refund-decision.tsx id="refund-amount"',
    name: 'a refund in part',
    ...usd,
    open: async ({ staff, orders }) => {
      await staff.goto(`/admin/orders/${orders.paid}`)
      await press(staff, /^Refund/)
      await staff.getByLabel(adminOrders.refundPart).check()
      return staff.locator('#refund-amount')
    },
  },
  {
    source: 'admin/money/money-dialog.tsx {...{',
    name: 'money that nobody could place',
    ...usd,
    open: async ({ staff }) => {
      await staff.goto('/admin/money')
      await press(staff, adminMoney.actions.open)
      return staff.locator('#money-amount')
    },
  },
  {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the source writes it
    source: 'admin/money/journal-screen.tsx id={`${id}-amount`}',
    name: 'a manual entry',
    unit: 'USD',
    ...free,
    open: async ({ staff }) => {
      await staff.goto('/admin/ledger/journal')
      await press(staff, adminMoney.journal.new)
      return staff.locator('#journal-0-amount')
    },
  },
  {
    source: 'admin/treasury/treasury-propose.tsx id="move-amount"',
    name: 'a treasury move',
    unit: 'BTC',
    ...free,
    open: async ({ staff }) => {
      await staff.goto('/admin/treasury')
      await press(staff, adminTreasury.propose)
      await staff.locator('#move-wallet').selectOption('BTC/bitcoin')
      return staff.locator('#move-amount')
    },
  },
  {
    source: 'admin/risk/risk-rules.tsx id="rule-most"',
    name: 'a risk rule’s sum',
    unit: 'USD',
    decimals: 0,
    open: async ({ staff }) => {
      await staff.goto('/admin/risk?view=rules')
      await press(staff, `${adminRisk.change} ${riskRules.volume_per_day}`)
      return staff.locator('#rule-most')
    },
  },
  {
    source: 'admin/pricing/pricing-locations.tsx id="location-percent"',
    name: 'a country’s price',
    unit: '%',
    ...free,
    open: async ({ staff }) => {
      await staff.goto('/admin/pricing?tab=locations')
      await press(staff, adminPricing.addCountry)
      return staff.locator('#location-percent')
    },
  },
  {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the source writes it
    source: 'admin/pricing/pricing-method-card.tsx id={`${method.id}-${field}`}',
    name: 'a method’s margin',
    unit: '%',
    ...free,
    open: ({ staff }) => onPricing(staff, 'Base margin (%)'),
  },
  {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the source writes it
    source: 'admin/pricing/pricing-method-card.tsx id={`${method.id}-${field}`}',
    name: 'a method’s fee',
    ...usd,
    open: ({ staff }) => onPricing(staff, 'Processing fee ($)'),
  },
  {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the source writes it
    source: 'admin/pricing/pricing-method-card.tsx id={`${method.id}-${field}`}',
    name: 'a method’s minimum',
    ...usd,
    open: ({ staff }) => onPricing(staff, 'Minimum order ($)'),
  },
  {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the source writes it
    source: 'admin/pricing/pricing-method-card.tsx id={`${method.id}-${field}`}',
    name: 'a method’s maximum',
    ...usd,
    open: ({ staff }) => onPricing(staff, 'Maximum order ($)'),
  },
]

test('every amount field of the source is among those that are fed', () => {
  const features = new URL('../../src/features/', import.meta.url)
  const sources = new URL('../../src/', import.meta.url)
  const fieldsIn = (root: URL) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.tsx') && !path.includes('.test.'))
      .flatMap((path) =>
        [
          ...readFileSync(new URL(path, root), 'utf8').matchAll(/<AmountField\s+(?:key=\{[^}]*\}\s+)?(\S+)/g),
        ].map(([, first]) => `${path} ${first}`),
      )
  const found = fieldsIn(features)
  expect(fieldsIn(sources), 'fields outside of the features').toHaveLength(found.length)
  expect(hostile.length).toBeGreaterThanOrEqual(60)
  expect([...new Set(fields.map(({ source }) => source))].sort()).toEqual(found.sort())
  // What else takes decimals: the calculator, which is fed below, and is made without the kit for the first view.
  const others = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.tsx') &&
      !path.includes('.test.') &&
      /inputMode="decimal"|type="number"/.test(readFileSync(new URL(path, sources), 'utf8')),
  )
  expect(others.sort()).toEqual(['components/form/amount-field.tsx', 'features/calculator/calculator.tsx'])
})

test('each amount field echoes what it reads, asks where there are two meanings, and refuses the rest', async ({
  customer,
  staff,
  browser,
}) => {
  const world = await test.step('cards and orders for the fields that are about one', async () => {
    const approved = await sellGiftCard(customer.page, { value: '200' }) // pays $165
    await approveCard(staff, approved, '200')
    const realised = await sellGiftCard(customer.page, { value: '50' })
    await approveCard(staff, realised, '50')
    await staff.post(`/api/admin/gift-cards/${realised}/realise`, {
      amount: '45',
      reference: `sold ${realised}`,
    })
    const waiting = await sellGiftCard(customer.page, { value: '100' })
    const unpaid = await order(customer, 'domestic_wire')
    const done = await paid(customer, staff)
    const orders = { unpaid: unpaid.id, paid: done.id }
    return { customer: customer.page, staff: staff.page, cards: { waiting, approved, realised }, orders }
  })
  for (const row of fields) await test.step(row.name, async () => feed(await row.open(world), row))

  await test.step('buy, in coin, in Spanish', async () => {
    const storageState = await customer.page.context().storageState()
    const context = await browser.newContext({ storageState, locale: 'es-MX' })
    const page = await context.newPage()
    await page.goto('/buy')
    await expect(page.locator('html')).toHaveAttribute('lang', 'es')
    await feed(page.locator('#amount'), { unit: 'BTC', decimals: 8, site: 'es' })
    await context.close()
  })
})

test('the calculator echoes what every amount field reads, and refuses the rest', async ({ page }) => {
  await page.goto('/')
  const form = page.getByRole('form', { name: calculator.title })
  const pay = form.getByRole('textbox', { name: calculator.pay })
  await expect(form.getByText(/^Includes /)).toBeVisible()
  for (const row of hostile) {
    const wanted = due(row, usd)
    await pay.evaluate((input: HTMLInputElement, text) => {
      input.value = text
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }, row[0])
    const what = JSON.stringify(row[0])
    await expect(form.getByText(calculator.unreadable), what).toHaveCount(wanted.echo ? 0 : 1)
    const told = form.locator('[data-understood]')
    const plain = /^\d+(\.\d\d?)?$/.test(row[0].trim())
    if (wanted.echo && !plain)
      await expect.poll(async () => figure((await told.textContent()) ?? ''), what).toBe(wanted.echo)
    else await expect(told, what).toHaveCount(0)
  }
})

test('/buy asks the price of what it shows, and of nothing else', async ({ page }) => {
  await verifiedCustomer(page)
  await page.goto('/buy')
  const asked: string[] = []
  await page.route('**/api/orders/calculate-pricing', (route) => {
    asked.push(route.request().postDataJSON().amountAsset)
    return route.fallback()
  })
  const echo = page.locator('[data-understood="amount"]')
  for (const row of hostile) {
    const reading = due(row, { unit: 'BTC', decimals: 8 }).echo
    if (!reading) continue
    await page.getByLabel('Amount in BTC').fill(row[0])
    await expect.poll(() => figure(asked.at(-1) ?? ''), row[0]).toBe(reading)
    await expect.poll(async () => figure((await echo.textContent()) ?? ''), row[0]).toBe(reading)
  }
  const before = [...asked]
  for (const row of hostile)
    if (!due(row, { unit: 'BTC', decimals: 8 }).echo) await page.getByLabel('Amount in BTC').fill(row[0])
  await page.waitForTimeout(1000) // No question appears: the form would have asked by now.
  expect(asked).toEqual(before)

  await page.getByRole('radio', { name: /^USDC/ }).locator('xpath=ancestor::label').click()
  await page.getByLabel('Amount in USDC').fill('60,50')
  await expect(echo).toHaveText('= 60.5 USDC')
  await expect(page.getByText('Base price').locator('..')).toContainText('$6')
  expect(asked.at(-1)).toBe('60.50')
  await page.getByLabel('Amount in USDC').fill('1,234')
  await page.getByRole('button', { name: '1,234 USDC' }).click()
  await expect.poll(() => asked.at(-1)).toBe('1234')
  await page.getByLabel('Amount in USDC').fill('0.0000001')
  await page.getByRole('button', { name: 'Use 0.000001 USDC' }).click()
  await expect(page.getByLabel('Amount in USDC')).toHaveValue('0.000001')

  await press(page, buy.swap('USDC', buy.dollars))
  await page.getByLabel(buy.dollarsLabel).fill('60,50')
  await expect(echo).toHaveText('= $60.50')
  const hint = page.locator('#amount-hint > span').first()
  await expect(hint).toContainText(' USDC')
  await expect
    .poll(
      async () => figure((await hint.textContent()) ?? '') === figure(asked.at(-1) ?? ''),
      'what is shown',
    )
    .toBe(true)
})
