import { expect, test } from 'vitest'
import { adminAudit } from './admin-books'
import { adminDashboard } from './admin-dashboard'
import { adminKyc } from './admin-kyc'
import { adminPayments } from './admin-payments'
import { statusLabels } from './status'

test('an identity that can be shown again is rejected among verifications, as among customers', () => {
  expect(adminKyc.standing.retry).toContain(statusLabels.customerKyc.rejected)
})

test('revenue says what it does not deduct', () => {
  expect(adminDashboard.means.revenue).toContain('vouchers are not deducted')
})

test('the details of a payment are those of an order', () => {
  expect(adminPayments.tradeInfo).toBe('Order details')
})

test('in the audit log, a status that nothing changed is the one at the time', () => {
  expect(adminAudit.beforeIt('Status')).toBe('Status at the time')
  expect(adminAudit.beforeIt('Reason')).toBe('Reason before')
})
