import { expect, test } from 'vitest'
import { waysOf } from './purchase-card'

test.each([
  ['all of them', ['card', 'ach', 'bank_transfer', 'wire', 'domestic_wire', 'cash'], 'card ach wire cash'],
  ['none that /buy does not have', ['card', 'ach', 'wire'], 'card'],
  ['one that /buy has under another name', ['domestic_wire'], 'wire'],
  ['cash under its own name', ['cash'], 'cash'],
])('the purchase card shows %s', (_, rails, shown) => {
  expect(waysOf((rail) => rails.includes(rail)).join(' ')).toBe(shown)
})
