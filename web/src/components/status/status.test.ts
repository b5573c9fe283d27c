import { describe, expect, test } from 'vitest'
import spec from '../../../../api/openapi.json'
import {
  customerKycLooks,
  customerOrderLook,
  dashboardKycLook,
  kycLooks,
  legacyLook,
  legacyLooks,
  orderLook,
  orderLooks,
  paymentLooks,
  transactionLook,
  transactionLooks,
} from './status'

interface Schema {
  properties: Record<string, { enum?: string[] }>
}

/** The states the server can answer, from the contract itself. */
function statesOf(schema: keyof typeof spec.components.schemas, property: string): string[] {
  const found = (spec.components.schemas[schema] as unknown as Schema).properties[property]?.enum
  if (!found) throw new Error(`${schema}.${property} lists no states`)
  return found
}

describe('every state of the contract has its look, and no look is without a state', () => {
  test.each([
    ['Order.status', orderLooks, statesOf('Order', 'status')],
    ['Order.legacyStatus', legacyLooks, statesOf('Order', 'legacyStatus')],
    ['Withdrawal.status', legacyLooks, statesOf('Withdrawal', 'status')],
    ['Transaction.status', transactionLooks, statesOf('Transaction', 'status')],
    ['PendingPayment.adminApprovalStatus', paymentLooks, statesOf('PendingPayment', 'adminApprovalStatus')],
    ['KYCStatus.status', kycLooks, statesOf('KYCStatus', 'status')],
  ])('%s', (_, looks, states) => {
    expect(Object.keys(looks).sort()).toEqual([...states].sort())
  })
})

describe("SPEC §4: an order's labels", () => {
  test.each([
    ['pending', 'Payment Pending'],
    ['payment_approved', 'Payment Approved'],
    ['fulfilling', 'Fulfilling'],
    ['filled', 'Filled'],
    ['sent', 'Sent'],
    ['failed', 'Failed'],
  ])('%s is %s', (status, label) => expect(orderLook(status).label).toBe(label))

  test('unknown statuses display as pending', () => {
    expect(orderLook('something_new')).toEqual(orderLooks.pending)
    expect(orderLook('constructor')).toEqual(orderLooks.pending)
  })

  test('to its customer an ended order says how it ended', () => {
    expect(customerOrderLook('failed', 'cancelled').label).toBe('Cancelled')
    expect(customerOrderLook('failed', null).label).toBe('Failed')
    for (const [end, label] of Object.entries({
      declined: 'Declined',
      expired: 'Expired',
      refunded: 'Refunded',
    })) {
      expect(customerOrderLook('failed', end)).toEqual({ label, tone: 'neutral', ended: true })
      expect(legacyLook('failed', end).label).toBe(label)
      expect(transactionLook('cancelled', end).label).toBe(label)
    }
    expect(customerOrderLook('pending', null, true).label).toBe('Authorised')
    expect(customerOrderLook('payment_approved', null, true).label).toBe('Payment Approved')
    expect(customerOrderLook('sent', null).label).toBe('Sent')
  })
})

describe('SPEC §2: identity', () => {
  test.each([
    ['verified', 'Verified', 'success'],
    ['rejected', 'Rejected', 'danger'],
    ['pending', 'Pending', 'pending'],
    ['not_started', 'Pending', 'pending'],
  ])('the dashboard shows %s as %s', (status, label, tone) => {
    expect(dashboardKycLook(status)).toMatchObject({ label, tone })
  })

  test.each([
    ['approved', 'Verified'],
    ['pending', 'Under Review'],
    ['rejected', 'Rejected'],
    ['not_started', 'Not Verified'],
  ] as const)('the card shows %s as %s', (status, label) => expect(kycLooks[status].label).toBe(label))

  test('a customer of the admin list has five states', () => {
    expect(Object.keys(customerKycLooks)).toEqual([
      'not_started',
      'pending',
      'verified',
      'enhanced',
      'rejected',
    ])
  })
})
