import { expect, test } from 'vitest'
import { type ActingOrder, nextStepOf } from './next-step'

const order = (id: string, action?: ActingOrder['action']) =>
  ({ id, ...(action ? { action } : {}) }) as ActingOrder
const verified = { kycStatus: 'verified' as const }

test('what an order waits for comes first, the nearest deadline before the others', () => {
  const open = [
    order('calm'),
    order('whenever', { kind: 'address', deadline: null }),
    order('later', { kind: 'choose', deadline: '2026-11-26T00:00:00Z' }),
    order('soon', { kind: 'pay', deadline: '2026-11-24T12:00:00Z' }),
  ]
  expect(nextStepOf({ kycStatus: 'not_started' }, open, true)).toMatchObject({
    kind: 'pay',
    order: { id: 'soon' },
  })
  expect(nextStepOf(verified, open.slice(0, 2), true)).toMatchObject({
    kind: 'address',
    order: { id: 'whenever' },
  })
})

test('then the identity, then a first purchase, then nothing', () => {
  expect(nextStepOf({ kycStatus: 'not_started' }, [], false).kind).toBe('verify')
  expect(nextStepOf({ kycStatus: 'rejected' }, [], false).kind).toBe('retry')
  expect(nextStepOf({ kycStatus: 'pending' }, [], false).kind).toBe('reviewed')
  expect(nextStepOf(verified, [], false).kind).toBe('buy')
  expect(nextStepOf(verified, [order('open')], false).kind).toBe('nothing')
  expect(nextStepOf(verified, [], true).kind).toBe('nothing')
})
