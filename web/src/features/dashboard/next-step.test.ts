import { expect, test } from 'vitest'
import type { Order } from '@/api/types.gen'
import { nextStepOf } from './next-step'

const order = (id: string, action?: Order['action']) => ({ id, ...(action ? { action } : {}) }) as Order
const verified = { kycStatus: 'verified' as const }
const waiting = [
  order('soon', { kind: 'pay', deadline: '2026-11-24T12:00:00Z' }),
  order('later', { kind: 'choose', deadline: '2026-11-26T00:00:00Z' }),
]

test('what an order waits for comes first, as the banner has it, however many orders are newer', () => {
  const step = { kind: 'pay', order: { id: 'soon' } }
  expect(nextStepOf({ kycStatus: 'not_started' }, waiting, true)).toMatchObject(step)
  expect(nextStepOf(verified, waiting, undefined)).toMatchObject(step)
})

test('the identity is known with the page', () => {
  expect(nextStepOf({ kycStatus: 'not_started' }, undefined, undefined)?.kind).toBe('verify')
  expect(nextStepOf({ kycStatus: 'pending' }, undefined, undefined)?.kind).toBe('reviewed')
})

test('a hold is a step of its own: before the orders, which wait with it, or after those that go on', () => {
  expect(nextStepOf({ ...verified, hold: 'frozen' }, undefined, undefined)?.kind).toBe('frozen')
  expect(nextStepOf({ ...verified, hold: 'frozen' }, [], true)?.kind).toBe('frozen')
  expect(nextStepOf({ ...verified, hold: 'restricted' }, waiting, true)?.kind).toBe('pay')
  expect(nextStepOf({ kycStatus: 'not_started', hold: 'restricted' }, [], true)?.kind).toBe('restricted')
})

test('then the identity, then a first purchase, then nothing', () => {
  expect(nextStepOf({ kycStatus: 'not_started' }, [], false)?.kind).toBe('verify')
  expect(nextStepOf({ kycStatus: 'rejected' }, [], false)?.kind).toBe('retry')
  expect(nextStepOf({ kycStatus: 'rejected' }, [], false, true)?.kind).toBe('refused')
  expect(nextStepOf({ kycStatus: 'pending' }, [], false)?.kind).toBe('reviewed')
  expect(nextStepOf(verified, [], false)?.kind).toBe('buy')
  expect(nextStepOf(verified, [], true)?.kind).toBe('nothing')
})

test('“nothing to do” is not said before it is known', () => {
  expect(nextStepOf({ kycStatus: 'pending', hold: 'restricted' }, undefined, undefined)).toBeUndefined()
  expect(nextStepOf(verified, undefined, true)).toBeUndefined()
  expect(nextStepOf(verified, [], undefined)).toBeUndefined()
})
