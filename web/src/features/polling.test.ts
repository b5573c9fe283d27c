import { expect, test } from 'vitest'
import { COPIED_MS } from '@/lib/copy'
import { adminStatsQuery, recentActivityQuery } from './admin/dashboard/queries'
import { adminOrdersQuery } from './admin/orders/queries'
import { paymentsQuery } from './admin/payments/queries'
import { KYC_POLL_MS, kycQuery } from './kyc/queries'
import { ordersQuery } from './orders/queries'
import { publicPricesQuery } from './pricing/public-prices'

test.each([
  ['identity, on its screen', kycQuery('screen'), 5],
  ['identity, on the dashboard', kycQuery('dashboard'), 30],
  ['a customer’s orders', ordersQuery(), 10],
  ['the orders of the back office', adminOrdersQuery({}), 15],
  ['payments', paymentsQuery({}), 10],
  ['prices', publicPricesQuery, 30],
  ['figures of the back office', adminStatsQuery('month'), 30],
  ['its activity', recentActivityQuery, 10],
])('specification §9: %s, read anew every so many seconds', (_, { refetchInterval }, seconds) => {
  expect(refetchInterval).toBe(seconds * 1_000)
})

test('the two screens of an identity share what they read', () => {
  expect(Object.keys(KYC_POLL_MS)).toEqual(['dashboard', 'screen'])
  expect(kycQuery('screen').queryKey).toEqual(kycQuery('dashboard').queryKey)
})

test('specification §9: what was copied says so for two seconds', () => expect(COPIED_MS).toBe(2_000))
