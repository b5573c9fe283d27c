import { describe, expect, test } from 'vitest'
import type { Limits } from '@/api/types.gen'
import { boundsOf } from './bounds'

const method = { margin: '3.5', processingFee: '0.00', minAmount: '1.00', maxAmount: null }
const limits = {
  verified: true,
  methods: [
    { ...method, method: 'balance' },
    { ...method, method: 'card', minAmount: '50.00' },
  ],
  assets: [
    { asset: 'BTC', paused: null, smallest: '0.00005', networkFee: '3.00' },
    { asset: 'USDT', paused: null, smallest: '0.5' },
  ],
  single: {},
  day: {},
  month: {},
} as unknown as Limits

describe('the least that can be bought', () => {
  test('from the balance covers the smallest order and the network fee', () => {
    expect(boundsOf(limits, 'balance', '100.00', 'BTC', '50000').least).toBe('5.50')
  })

  test('from the balance is the method’s own minimum where that is more', () => {
    expect(boundsOf(limits, 'balance', '100.00', 'USDT', '1').least).toBe('1.00')
  })

  test('by another method is that method’s', () => {
    expect(boundsOf(limits, 'card', '100.00', 'BTC', '50000').least).toBe('50.00')
  })
})
