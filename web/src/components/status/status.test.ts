import { describe, expect, test } from 'vitest'
import { statusChoices } from '@/features/orders/filter'
import spec from '../../../../api/openapi.json'
import {
  customerKycLooks,
  dashboardKycLook,
  historyLook,
  kycLook,
  kycLooks,
  legacyLooks,
  lookOfOrder,
  type OrderStatus,
  orderLook,
  orderLooks,
  paymentLooks,
  stateLook,
  tradeLook,
  withdrawalLook,
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
    ['PendingPayment.adminApprovalStatus', paymentLooks, statesOf('PendingPayment', 'adminApprovalStatus')],
    ['KYCStatus.status', kycLooks, statesOf('KYCStatus', 'status')],
  ])('%s', (_, looks, states) => {
    expect(Object.keys(looks).sort()).toEqual([...states].sort())
  })
})

describe("specification §4: an order's labels", () => {
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

  const order = (status: string, resolution: string | null = null, authorised = false) =>
    lookOfOrder({ status, authorised, metadata: { resolution } })

  test.each(['fulfilling', 'filled', 'failed'])(
    'an address that was refused needs its customer, whatever the status (%s)',
    (status) => {
      const metadata = { resolution: null }
      const action = { kind: 'address', deadline: null } as const
      expect(lookOfOrder({ status, authorised: false, metadata, action }).label).toBe('Action needed')
    },
  )

  test('a sent order whose money went back is not told as completed', () => {
    for (const [resolution, label] of Object.entries({ refunded: 'Refunded', disputed: 'Disputed' })) {
      expect(historyLook({ legacyStatus: 'completed', resolution, authorised: false }).label).toBe(label)
      expect(tradeLook({ type: 'order', state: 'completed', status: resolution }).label).toBe(label)
    }
  })

  test('a sent order whose money went back has one word in the list and in the history', () => {
    for (const [after, label] of Object.entries({
      refunded: 'Sent · refunded',
      disputed: 'Sent · disputed',
    })) {
      const told = {
        legacyStatus: 'completed',
        orderStatus: 'sent',
        resolution: after,
        authorised: false,
      } as const
      expect(historyLook(told).label).toBe(label)
      const listed = { status: 'sent', authorised: false, metadata: { resolution: null, afterSent: after } }
      expect(lookOfOrder(listed)).toEqual(historyLook(told))
    }
  })

  test('an ended order says how it ended, wherever it is shown', () => {
    expect(order('failed').label).toBe('Failed')
    for (const [resolution, label] of Object.entries({
      cancelled: 'Cancelled',
      declined: 'Declined',
      expired: 'Expired',
      refunded: 'Refunded',
    })) {
      const ended = { label, tone: 'neutral', ended: true }
      expect(order('failed', resolution)).toEqual(ended)
      expect(historyLook({ legacyStatus: 'failed', resolution, authorised: false })).toEqual(ended)
      expect(tradeLook({ type: 'order', state: 'failed', status: resolution })).toEqual(ended)
    }
    expect(tradeLook({ type: 'gift_card', state: 'failed', status: 'rejected' }).label).toBe('Rejected')
    const rejected = { legacyStatus: 'failed', resolution: 'rejected', authorised: false } as const
    expect(historyLook(rejected).label, 'a gift card').toBe('Rejected')
  })

  test('an authorised one says so, wherever it is shown, until it is accepted', () => {
    const authorised = { label: 'Authorized', tone: 'info' }
    expect(order('pending', null, true)).toEqual(authorised)
    expect(historyLook({ legacyStatus: 'pending', resolution: null, authorised: true })).toEqual(authorised)
    expect(tradeLook({ type: 'order', state: 'pending', status: 'authorised' })).toEqual(authorised)
    expect(order('payment_approved', null, true).label).toBe('Payment Approved')
    expect(order('sent').label).toBe('Sent')
  })

  test.each(statesOf('Order', 'status'))(
    '%s has one word on its page, in the list and in the history',
    (status) => {
      for (const legacyStatus of ['pending', 'payment_processing', 'completed', 'failed'] as const)
        expect(
          historyLook({
            legacyStatus,
            orderStatus: status as OrderStatus,
            resolution: null,
            authorised: false,
          }),
        ).toEqual(order(status))
      expect(tradeLook({ type: 'order', state: 'completed', status }), 'all transactions').toEqual(
        order(status),
      )
    },
  )

  test('the orders’ filter offers each word that a row can show', () => {
    expect(statusChoices.map((word) => stateLook(word).label)).toEqual([
      ...[
        'Action needed',
        'Payment Pending',
        'Authorized',
        'Payment Approved',
        'Fulfilling',
        'Filled',
        'Sent',
        'Failed',
      ],
      ...['Declined', 'Cancelled', 'Expired', 'Refunded'],
    ])
  })

  test('a transfer that the network has is sent, as its order is', () => {
    expect(withdrawalLook('completed')).toEqual(order('sent'))
    expect(withdrawalLook('failed').label).toBe('Failed')
  })

  test('the word of another kind of trade is not that of an order', () => {
    expect(tradeLook({ type: 'refund', state: 'failed', status: 'failed' }).label).toBe('Failed')
    expect(tradeLook({ type: 'payout', state: 'cancelled', status: 'cancelled' }).label).toBe('Cancelled')
  })
})

describe('specification §2: identity', () => {
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

  test('a refusal that can be repeated warns, a final one alarms', () => {
    expect([kycLook('rejected', true).tone, kycLook('rejected').tone]).toEqual(['pending', 'danger'])
  })

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
