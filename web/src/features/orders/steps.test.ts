import { describe, expect, test } from 'vitest'
import type { OrderDetail } from '@/api/types.gen'
import { lookOfOrder } from '@/components/status/status'
import { actionTexts } from '@/messages/actions'
import { orders } from '@/messages/orders'
import { waitingTexts } from '@/messages/situations'
import { actionWords } from './action-needed'
import { statusSentence } from './sentences'
import { stepsOf } from './steps'

const order = {
  status: 'pending',
  paymentMethod: 'domestic_wire',
  authorised: false,
  dispute: null,
  refunds: [],
  events: [],
  paidAt: null,
  sentAt: null,
  metadata: { resolution: null },
} as unknown as OrderDetail

const told = (change: object) =>
  stepsOf({ ...order, ...change } as unknown as OrderDetail).map(({ title, state, note }) => [
    title,
    state,
    note,
  ])

const paid = { status: 'payment_approved', paidAt: '2026-11-21T10:00:00Z' }
const attention = (reason: string) => ({ attention: { reason, since: '', choices: [] } })

describe('the three steps of an order', () => {
  test('a wire is not told of cards', () => {
    const notes = stepsOf(order).map(({ note }) => note)
    expect(notes).toEqual([orders.notes.payByTransfer, orders.notes.ahead, orders.notes.sent])
    expect(notes.join()).not.toMatch(/card/)
  })

  test('a card that holds is told as authorised, not as waiting for a payment', () => {
    expect(told({ paymentMethod: 'card', authorised: true })[0]).toEqual([
      'Payment',
      'waiting',
      orders.notes.authorised,
    ])
  })

  test.each([
    ['payment_approved', 'waiting', orders.notes.accepted],
    ['fulfilling', 'current', orders.notes.buying],
  ])('paid and %s', (status, state, note) => {
    expect(told({ ...paid, status })).toEqual([
      ['Paid', 'done', undefined],
      ['Buying', state, note],
      ['Sending', 'next', orders.notes.sent],
    ])
  })

  test('what is bought is not told as being bought, whatever the sending waits for', () => {
    const bought = { ...paid, status: 'filled' }
    const done = [
      ['Paid', 'done', undefined],
      ['Bought', 'done', undefined],
    ]
    expect(told(bought)).toEqual([...done, ['Sending', 'current', orders.notes.bought]])
    expect(told({ ...bought, ...attention('address_refused') })).toEqual([
      ...done,
      ['Sending', 'waiting', undefined],
    ])
    expect(told({ ...bought, ...attention('refund_waits') })).toEqual(done)
    const failed = { ...paid, status: 'failed', events: [{ kind: 'filled', at: '' }] }
    expect(told(failed)[2]).toEqual(['Sending', 'failed', undefined])
  })

  test.each(['money_short', 'money_over', 'money_late'] as const)(
    '%s is not told as a payment awaited',
    (reason) => {
      expect(told(attention(reason))[0]).toEqual(['Payment', 'waiting', waitingTexts[reason].happened])
      const action = { kind: 'choose', deadline: null } as const
      expect(statusSentence({ ...order, action })).toBe('Choose what happens to your order')
      expect(lookOfOrder({ ...order, action }).label).toBe('Action needed')
    },
  )

  test('a failed order with choices asks for one, not for support', () => {
    const action = { kind: 'choose', deadline: null } as const
    expect(statusSentence({ ...order, status: 'failed', action })).toBe('Choose what happens to your order')
    expect(statusSentence({ ...order, status: 'failed' })).toBe('Contact support')
    expect(lookOfOrder({ ...order, status: 'failed', action }).label).toBe('Action needed')
    expect(lookOfOrder({ ...order, status: 'failed' }).label).toBe('Failed')
  })

  test('each step that is done has its time', () => {
    const events = [{ kind: 'filled', at: '2026-11-21T10:03:00Z' }]
    const sent = { ...order, ...paid, status: 'sent', sentAt: '2026-11-21T10:05:00Z', events }
    expect(stepsOf(sent as unknown as OrderDetail).map(({ at }) => at)).toEqual([
      paid.paidAt,
      events[0]?.at,
      sent.sentAt,
    ])
  })

  test('sent', () => {
    expect(told({ ...paid, status: 'sent', sentAt: '2026-11-21T10:05:00Z' }).map(([title]) => title)).toEqual(
      ['Paid', 'Bought', 'Sent'],
    )
  })

  test.each([
    ['an open dispute', { dispute: { status: 'open' } }],
    ['a dispute on the row', attention('disputed')],
    ['a refund that bounced', attention('refund_check')],
    ['a refund on its way', { refunds: [{ status: 'pending' }] }],
  ])('%s promises no next step', (_, change) => {
    expect(told({ ...paid, ...change })).toEqual([
      ['Paid', 'done', undefined],
      ['Buying', 'waiting', undefined],
    ])
  })

  test('an order that ended stops where it stood', () => {
    const ended = { status: 'failed', metadata: { resolution: 'refunded' }, paidAt: paid.paidAt }
    expect(told(ended)).toEqual([
      ['Paid', 'done', undefined],
      ['Buying', 'ended', undefined],
    ])
  })
})

describe('what a customer has to do', () => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  test('with the time there is for it', () => {
    const { what, left } = actionWords({ kind: 'choose', deadline: '2026-11-23T10:00:00Z' }, now)
    expect(what).toMatch(/^Choose how this order continues by ./)
    expect(left).toBe('(2 days left)')
  })
  test('another address that waits for its link is not asked for again', () => {
    const words = actionWords({ kind: 'confirm_address', deadline: null }, now)
    expect(words).toEqual({ what: 'Confirm the link in your e-mail', left: '' })
  })
  test('without a deadline, or after it, the time is not told', () => {
    const { address, pay } = actionTexts.kinds
    expect(actionWords({ kind: 'address', deadline: null }, now)).toEqual({ what: address, left: '' })
    const late = { kind: 'pay', deadline: '2026-11-21T09:00:00Z' } as const
    expect(actionWords(late, now)).toEqual({ what: pay, left: '' })
  })
})
