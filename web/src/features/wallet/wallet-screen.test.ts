import { expect, test } from 'vitest'
import { ordersInAll } from './wallet-screen'

test('an order that was cancelled does not count among all orders', () => {
  // 11 orders: 3 completed, 2 open, 6 cancelled, which no list of the wallet has.
  expect(ordersInAll({ completed: 3 }, 2)).toBe(5)
})

test('nothing is counted before both are known', () => {
  expect(ordersInAll(undefined, 2)).toBeUndefined()
  expect(ordersInAll({ completed: 3 }, undefined)).toBeUndefined()
})
