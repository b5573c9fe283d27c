// @vitest-environment jsdom
import Big from 'big.js'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BuyDraft, changed, emptyDraft } from '@/features/buy/draft'
import { placeOrder, pricingQuery } from '@/features/buy/queries'
import { emptyForm, mistakesIn, wanted } from '@/features/payouts/form'
import { pointOf, type Reader } from '@/lib/amount'
import { hostile, locales, numbers, readingOf } from '@/lib/amount.fixture'
import { parseAmount } from '@/lib/money'
import { AmountField } from './amount-field'

/** How the page and the browser of the moment write their decimals. */
let point: Reader['point'] = '.'

vi.mock('@/lib/amount', async (original) => ({ ...(await original()), certainPoint: () => point }))

/** The bodies that reached the server, in order. */
const sent = vi.hoisted(() => [] as Record<string, unknown>[])

vi.mock('@/api/sdk.gen', () => {
  const call = async ({ body }: { body: Record<string, unknown> }) => {
    sent.push(body)
    return { data: { expiresInSeconds: 60 } }
  }
  return { calculatePricing: call, createOrder: call, getLimits: call }
})

let root: Root
let kept = ''

const draw = (unit: string, decimals: number) =>
  root.render(
    <AmountField
      id="amount"
      label="Amount"
      unit={unit}
      decimals={decimals}
      positive
      value={kept}
      onChange={(value) => {
        kept = value
        draw(unit, decimals)
      }}
    />,
  )

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  document.body.innerHTML = '<main></main>'
  root = createRoot(document.querySelector('main') as HTMLElement)
  kept = ''
  point = '.'
})

afterEach(() => act(() => root.unmount()))

const open = (unit: string, decimals: number) => act(() => draw(unit, decimals))

const field = () => document.querySelector('input') as HTMLInputElement

function type(text: string): void {
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field(), text)
    field().dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** The number that a text of the page stands for, read by nothing of ours: "= $1,234.50", "1,234.5 BTC". */
function figure(text: string | null | undefined): string | undefined {
  return text?.match(/\d[\d,]*(?:\.\d+)?/)?.[0].replaceAll(',', '')
}

const echoed = () => figure(document.querySelector('[data-understood]')?.textContent)

const offers = () => [...document.querySelectorAll('button')]

/** Every amount that /buy and the payout's form send for what the form keeps. */
async function bodies(amount: string): Promise<string[]> {
  sent.length = 0
  const draft: BuyDraft = changed(emptyDraft, { amount })
  const question = { asset: draft.asset, amountAsset: draft.amount.trim(), paymentMethod: draft.method }
  const query = pricingQuery(question)
  if (query.enabled) {
    await (query.queryFn as (context: object) => Promise<unknown>)({ signal: undefined })
    await placeOrder({ ...question, destAddress: 'bc1q' } as Parameters<typeof placeOrder>[0], 'key')
  }
  const found = sent.map((body) => String(body.amountAsset))
  const payout = { ...emptyForm, amount }
  if (!mistakesIn(payout, '9'.repeat(30), '0').amount) found.push(wanted(payout).amount)
  return found
}

/** What is echoed, what the form keeps and what is sent are one number; without an echo nothing is sent. */
async function isOneNumber(what: string): Promise<string | undefined> {
  const echo = echoed()
  const all = await bodies(kept)
  if (echo === undefined) {
    expect(all, what).toEqual([])
    expect(parseAmount(kept)?.gt(0) ?? false, what).toBe(false)
    return undefined
  }
  expect(all.length, what).toBeGreaterThanOrEqual(2)
  for (const amount of [kept, ...all])
    expect(new Big(amount).eq(echo), `${what}: ${amount}, ${echo}`).toBe(true)
  return echo
}

const sites = ['en', 'es'] as const

describe.each(locales)('typed as %s writes it', (locale) => {
  const write = new Intl.NumberFormat(locale, { maximumFractionDigits: 18 })

  test('what is shown is what is kept and what is ordered, once what has two meanings was chosen', async () => {
    open('BTC', 8)
    for (const site of sites) {
      point = pointOf(site, locale)
      for (const number of numbers(40)) {
        const text = write.format(number as Intl.StringNumericLiteral)
        type(text)
        const what = `${text} (${number}) on a page in ${site}`
        if (new Big(number).eq(0)) continue
        if (offers().length > 0) {
          expect(await isOneNumber(what), what).toBeUndefined()
          const meant = offers().find((offer) => new Big(figure(offer.textContent) ?? 0).eq(number))
          expect(meant, what).toBeDefined()
          act(() => meant?.click())
        }
        expect(new Big((await isOneNumber(what)) ?? -1).eq(number), what).toBe(true)
      }
    }
  })
})

test.each([
  ['USD', 2],
  ['BTC', 8],
  ['USDC', 6],
  ['USD', 0],
] as const)('in %s with %i decimals, no hostile text orders what is not shown', async (unit, decimals) => {
  open(unit, decimals)
  for (const site of sites) {
    point = pointOf(site, 'en-US')
    for (const row of hostile) {
      type(row[0])
      const what = `${JSON.stringify(row[0])} on a page in ${site}`
      const echo = await isOneNumber(what)
      const reading = readingOf(row, { unit, decimals, site })
      const fine = /^\d/.test(reading) && (reading.split('.')[1] ?? '').length <= decimals
      expect(echo && new Big(echo).toFixed(), what).toBe(fine ? new Big(reading).toFixed() : undefined)
      for (const name of offers().map((offer) => offer.textContent)) {
        type('') // The field may show the same text for the offer before.
        type(row[0])
        act(() =>
          offers()
            .find((offer) => offer.textContent === name)
            ?.click(),
        )
        expect(new Big((await isOneNumber(what)) ?? -1).eq(figure(name) ?? 0), `${what}: ${name}`).toBe(true)
      }
    }
  }
})
