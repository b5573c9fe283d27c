import { expect, test } from 'vitest'
import { customerKycLooks, orderLooks } from '@/components/status/status'
import { adminAudit } from '@/messages/admin-books'
import { adminDashboard } from '@/messages/admin-dashboard'
import { adminKyc } from '@/messages/admin-kyc'
import { adminOrders } from '@/messages/admin-order'
import { adminPayments } from '@/messages/admin-payments'
import { bulk } from '@/messages/admin-proposals'
import { adminRisk } from '@/messages/admin-risk'
import { activityLook } from './dashboard/dashboard'
import { processedText } from './payments/payment-decision'
import { offMethods, switchLook } from './switches/switches-screen'

test('an order has the same word among the recent activity as in its list', () => {
  for (const [status, look] of Object.entries(orderLooks))
    expect(activityLook({ type: 'order', status })).toEqual(look)
  expect(activityLook({ type: 'order', status: 'declined' }).label).toBe('Declined')
  expect(activityLook({ type: 'order', status: 'authorised' }).label).toBe('Authorized')
})

test('no activity of any kind shows a code', () => {
  for (const status of ['in_review', 'on_hold', 'not_started', 'payment_approved'])
    expect(activityLook({ type: 'kyc', status }).label).not.toMatch(/_|^[a-z]/)
})

test('the name of a processed payment follows the literal', () => {
  expect(processedText({ tradeHash: 'TP-7K3M-9QWX', amount: '116.00' })).toBe(
    `${adminPayments.processedText} TP-7K3M-9QWX, $116.00.`,
  )
})

test.each([
  ['an identity that can be shown again is rejected on both pages', adminKyc.standing.retry, /^Rejected\b/],
  ['the customers’ page says so, too', customerKycLooks.rejected.label, /^Rejected$/],
  ['a fulfillment that was asked for has started', bulk.started, /^Started$/],
  [
    'the count of failed orders names the ends that it includes',
    adminOrders.failedMeans,
    /cancelled, declined, expired/,
  ],
  ['what failed without such an end is counted apart', adminOrders.toRetry, /^Failures only$/],
  [
    'a receipt that needs two is not called approved',
    adminPayments.previewTakesTwoText,
    /^Another person must/,
  ],
  ['revenue says what it does not deduct', adminDashboard.means.revenue, /Sign-up bonuses.*vouchers are not/],
  ['the details are those of an order', adminPayments.tradeInfo, /^Order/],
  ['a status in the audit log is no change', adminAudit.beforeIt('Status'), /^Status at the time$/],
  ['a list of one address is singular', adminRisk.addresses('1'), /^1 address$/],
  ['what was removed was there before', adminAudit.beforeIt('Reason'), /^Reason before$/],
])('%s', (_, said, expected) => expect(said).toMatch(expected))

test('a method that Pricing has turned off is not running', () => {
  const off = offMethods([
    { paymentMethod: 'cash', isEnabled: false },
    { paymentMethod: 'card', isEnabled: true },
  ])
  expect(off).toEqual(['cash'])
  expect(switchLook(false, true).label).toBe('Off in Pricing')
  expect(switchLook(false, false).label).toBe('Running')
  expect(switchLook(true, true).label).toBe('Paused')
})
