import { expect, it } from 'vitest'
import type { AdminOrder } from '@/api/types.gen'
import { allowed, inOrder } from '../shared/decision-buttons'
import { orderButtonsOf } from './order-actions'

const firstOf = (reason: string | null) => {
  const attention = (reason ? { reason } : null) as AdminOrder['attention']
  const { first, keyOf } = inOrder(
    allowed(orderButtonsOf({ attention }), ['retry', 'amend_address', 'mark_sent', 'refund']),
  )
  return [first?.action, first && keyOf(first)]
}

it('fills the act that helps: another address where custody refused the one of the order', () => {
  expect(firstOf('address_refused')).toEqual(['amend_address', undefined])
  expect(firstOf('transfer_unknown')).toEqual(['retry', 'f'])
  expect(firstOf(null)).toEqual(['retry', 'f'])
})
