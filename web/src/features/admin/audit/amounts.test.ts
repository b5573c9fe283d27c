import { expect, test } from 'vitest'
import { amountOf } from './amounts'

const entry = (objectKind: string, ...fields: [field: string, after: string][]) => ({
  objectKind,
  changes: fields.map(([field, after]) => ({ field, before: null, after })),
})

test('an amount has the currency that its entry names, or is in dollars', () => {
  expect(amountOf(entry('order', ['amount', '1234.5']), 'amount', '1234.5')).toBe('$1,234.50')
  expect(amountOf(entry('voucher', ['currency', 'EUR']), 'amount', '25.00')).toBe('25 EUR')
  expect(amountOf(entry('treasury_move', ['asset', 'BTC']), 'amount', '0.50')).toBe('0.5 BTC')
})

test('what is no amount, or in an unknown currency, is left as it is', () => {
  expect(amountOf(entry('order'), 'refund', '1')).toBeUndefined()
  expect(amountOf(entry('order'), 'amount', 'all')).toBeUndefined()
  expect(amountOf(entry('treasury_move'), 'amount', '0.5')).toBeUndefined()
})
