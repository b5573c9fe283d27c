import { expect, test } from 'vitest'
import { parsePaymentFilter } from './payments/filters'
import { asked, shownStatus } from './shared/queue-filter'

test('a queue opens on what waits; the address and a search say otherwise', () => {
  expect(shownStatus(undefined, undefined, 'in_review')).toBe('in_review')
  expect(shownStatus(undefined, 'casey', 'in_review')).toBe('all')
  expect(shownStatus('all', undefined, 'in_review')).toBe('all')
  expect(shownStatus('approved', 'casey', 'in_review')).toBe('approved')
})

test('columns stand in the address and are no question to the server', () => {
  const filter = parsePaymentFilter({ status: 'pending', cols: 'amount,risk', method: 'zelle' })
  expect(filter).toEqual({ status: 'pending', cols: 'amount,risk', method: 'zelle' })
  expect(asked(filter)).toEqual({ status: 'pending', method: 'zelle' })
})
