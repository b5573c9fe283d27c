import { expect, test } from 'vitest'
import { eventTexts } from '@/messages/order-story'
import spec from '../../../../api/openapi.json'
import { eventSentence } from './story'

const kinds: string[] = spec.components.schemas.OrderEvent.properties.kind.enum

test('every kind of event that the server can write has its sentence, and no sentence is without a kind', () => {
  expect(Object.keys(eventTexts).sort()).toEqual([...kinds].sort())
})

test.each(kinds)('%s reads as a sentence with its figures and without them', (kind) => {
  const full = eventSentence({
    kind,
    data: {
      amount: '20.00',
      received: '20.00',
      expected: '30.00',
      total: '30.00',
      left: '10.00',
      amountAsset: '0.00200000',
      dueAt: '2026-11-21T15:04:05Z',
      at: '2026-11-21T15:04:05Z',
      to: 'card',
      attempt: 2,
    },
  })
  for (const sentence of [full, eventSentence({ kind, data: {} })]) {
    expect(sentence).toMatch(/^[A-Z$0-9].{5,}/)
    expect(sentence).not.toMatch(/undefined|null|NaN|_|—/)
  }
})

test('a kind this page does not know yet is told by its own words', () => {
  expect(eventSentence({ kind: 'something_new' })).toBe('Something new')
  expect(eventSentence({ kind: 'constructor' })).toBe('Constructor')
})

test('amounts are written out, and where the money went', () => {
  expect(eventSentence({ kind: 'refunded_in_part', data: { amount: '20.5', to: 'balance' } })).toBe(
    '$20.50 refunded to your account balance',
  )
  const before = { amount: '20.5', to: 'card', delivers: '0.01 BTC' }
  expect(eventSentence({ kind: 'refunded_in_part', data: before })).toBe(
    '$20.50 refunded to your card; all 0.01 BTC will still be sent',
  )
})
