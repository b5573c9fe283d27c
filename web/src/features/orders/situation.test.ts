import { describe, expect, test } from 'vitest'
import type { OrderDetail } from '@/api/types.gen'
import { attentionTexts } from '@/messages/admin-order'
import { waitingTexts } from '@/messages/situations'
import spec from '../../../../api/openapi.json'
import situations from '../../../../models/situations.json'
import { moneyPlace, situationOf } from './situation'

/** Reasons that an order has only until its workflow continues: `passing` in models/order/situations.go. */
const passing = ['money_over']
const words: string[] = spec.components.schemas.CustomerAttention.properties.reason.enum
const reasons = [
  ...new Set((situations as { attention?: string }[]).flatMap(({ attention }) => attention ?? [])),
]

test('every word the server can say of a waiting order has its texts, and no text is without a word', () => {
  expect(Object.keys(waitingTexts).sort()).toEqual([...words].sort())
})

test('every reason for which an order waits for staff says what to do', () => {
  expect(Object.keys(attentionTexts).sort()).toEqual([...reasons, ...passing].sort())
})

const order = {
  id: 'o',
  status: 'payment_approved',
  paymentMethod: 'card',
  asset: 'BTC',
  amountAsset: '0.00200000',
  total: '220.61',
  received: '220.61',
  refunded: '0.00',
  refunds: [],
  receipts: [],
  dispute: null,
  events: [],
  choices: [],
  paidAt: '2026-11-21T10:00:00Z',
  closedAt: null,
  metadata: { resolution: null, fulfillmentCode: null, fulfillmentError: null, retryCount: 0 },
  payment: { cardBrand: 'visa', cardLast4: '4242', authorisedAt: '2026-11-21T09:00:00Z' },
} as unknown as OrderDetail

describe('where an order stands', () => {
  test('one that is simply on its way has nothing to tell', () => {
    expect(situationOf(order)).toBeUndefined()
  })

  test('a step is told as delayed while it is tried again, not once it went on', () => {
    const metadata = { ...order.metadata, retryCount: 1 }
    const tried = { ...order, status: 'pending', metadata } as unknown as OrderDetail
    expect(situationOf({ ...tried, retrying: true })?.key).toBe('retrying')
    expect(situationOf({ ...tried, retrying: false })).toBeUndefined()
  })

  test.each(words)('waiting for %s says what happened, where the money is and what comes next', (reason) => {
    const attention = { reason, since: '2026-11-21T10:00:00Z', choices: [] }
    const found = situationOf({ ...order, attention } as unknown as OrderDetail)
    for (const text of [found?.title, found?.happened, found?.money, found?.next])
      expect(text).toMatch(/^[A-Z$0-9].{10,}/)
  })

  test.each([
    ['declined', {}],
    ['cancelled', {}],
    ['expired', { authorisedAt: null }],
    ['refunded', {}],
  ])('ended as %s', (resolution, payment) => {
    const found = situationOf({
      ...order,
      status: 'failed',
      payment: { ...order.payment, ...payment },
      metadata: { ...order.metadata, resolution },
    } as unknown as OrderDetail)
    expect(found?.key).toBe(resolution)
  })

  test('a hold that ran out is not told as money that never came', () => {
    const lapsed = { ...order, status: 'failed', paidAt: null, received: '0.00' }
    const found = situationOf({
      ...lapsed,
      metadata: { ...order.metadata, resolution: 'expired' },
    } as unknown as OrderDetail)
    expect(found).toMatchObject({ key: 'lapsed' })
    expect(found?.money).toContain('released')
  })
})

test.each([
  ['payment_approved', true],
  ['sent', false],
])('a dispute of an order that is %s waits for the bank: %s', (status, waits) => {
  const dispute = { status: 'open', amount: '220.61', at: '2026-11-21T11:00:00Z' }
  const attention = { reason: 'disputed', since: '2026-11-21T11:00:00Z', choices: [] }
  for (const change of [{ dispute }, { attention }]) {
    const found = situationOf({ ...order, status, ...change } as unknown as OrderDetail)
    expect(found?.key).toBe('disputed')
    expect(found?.next === waitingTexts.disputed.next).toBe(waits)
  }
})

test('a hold on the account says nothing of when, and asks for no choice', () => {
  const attention = { reason: 'account_frozen', since: '2026-11-21T11:00:00Z', choices: [] }
  const short = { paymentMethod: 'zelle', paidAt: null, received: '20.00', status: 'pending' }
  const found = situationOf({ ...order, ...short, attention } as unknown as OrderDetail)
  expect(found?.since).toBeUndefined()
  expect(found?.money).toBe('$20.00 arrived and is held safely.')
})

describe('where the money is', () => {
  test.each([
    ['charged to the card', {}, '$220.61 was charged to Visa •••• 4242.'],
    ['held on the card', { paidAt: null, received: '0.00', status: 'pending' }, 'is held on Visa •••• 4242'],
    ['arrived by transfer', { paymentMethod: 'zelle' }, '$220.61 arrived.'],
    [
      'apart',
      { paymentMethod: 'zelle', paidAt: null, received: '20.00', status: 'pending' },
      '$20.00 arrived and is held safely',
    ],
    ['bought', { status: 'filled' }, '0.002 BTC'],
    [
      'given back in part',
      { refunds: [{ amount: '20.00', destination: 'card', status: 'succeeded', at: '' }] },
      '$20.00 is on its way back to Visa •••• 4242.',
    ],
  ])('%s', (_, change, text) => {
    expect(moneyPlace({ ...order, ...change } as unknown as OrderDetail)).toContain(text)
  })
})
