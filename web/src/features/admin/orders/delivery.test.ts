import { expect, test } from 'vitest'
import type { AdminOrder } from '@/api/types.gen'
import { deliveryNote, partialRefundText, refundedBefore, refundedTo } from './delivery'

const order = (over: Partial<AdminOrder> = {}) => ({
  status: 'payment_approved' as AdminOrder['status'],
  asset: 'USDC',
  amountAsset: '213.730000',
  refunded: '50.00',
  reduced: '0.00',
  customerEmail: 'bob@example.com',
  ...over,
})

test('before delivery, a partial refund is repeated with the crypto that the customer still receives', () => {
  expect(deliveryNote(order())).toBe('$50.00 was refunded; the customer still receives all 213.73 USDC.')
  expect(refundedBefore(order({ status: 'failed' }))).toBe(true)
})

test('less crypto that the customer agreed to is repeated before delivery', () => {
  expect(deliveryNote(order({ reduced: '50.00' }))).toBe(
    'Sends 213.73 USDC; $50.00 was refunded with the customer’s agreement.',
  )
})

test('without a refund, or once the crypto was sent, nothing is repeated', () => {
  expect(deliveryNote(order({ refunded: '0.00' }))).toBe('')
  expect(deliveryNote(order({ status: 'sent' }))).toBe('')
})

test('a partial refund says that all crypto is sent, if it will be', () => {
  const to = refundedTo({ paymentMethod: 'card', customerEmail: 'bob@example.com' })
  expect(partialRefundText(order(), '50', to)).toBe(
    'Refunds $50.00 to customer bob@example.com’s card. The customer still receives all 213.73 USDC.',
  )
  for (const status of ['sent', 'failed'] as const)
    expect(partialRefundText(order({ status }), '50', to)).toBe(
      'Refunds $50.00 to customer bob@example.com’s card. The order does not change.',
    )
})

test('a refund says whether it goes to the card or to the balance', () => {
  const of = (paymentMethod: string, toBalance?: boolean) =>
    refundedTo({ paymentMethod, customerEmail: 'bob@example.com' }, toBalance)
  expect(of('card')).toBe('customer bob@example.com’s card')
  expect(of('card', true)).toBe('customer bob@example.com’s balance')
  for (const method of ['domestic_wire', 'balance'])
    expect(of(method)).toBe('customer bob@example.com’s balance')
})
