import { expect, test } from 'vitest'
import { defaultUser } from '@/lib/session.fixture'
import { entriesFor, groupsFor } from './account-ways'

const waysOf = (isAdmin: boolean, permissions: string[] = []) =>
  groupsFor({ ...defaultUser, isAdmin, permissions }).flatMap(({ entries }) => entries.map(({ to }) => to))

const own = ['/orders', '/balance', '/gift-cards', '/vouchers', '/referral', '/settings', '/support']

test('a customer has the ways to what is theirs, and none into the back office', () => {
  expect(waysOf(false, ['decide_payments'])).toEqual(own)
  expect(entriesFor(defaultUser).map(({ to }) => to)).not.toContain('/admin')
})

test('staff also have the queues they can decide, and no others', () => {
  expect(waysOf(true, ['read_customers', 'answer_tickets'])).toEqual([...own, '/admin/support'])
  expect(waysOf(true, ['decide_payments'])).toEqual([...own, '/admin/payments', '/admin/payouts'])
  expect(waysOf(true, ['read_customers', 'review_customers'])).toEqual([
    ...own,
    '/admin/gift-cards',
    '/admin/kyc',
    '/admin/referrals',
  ])
  expect(entriesFor({ ...defaultUser, isAdmin: true }).map(({ to }) => to)).toContain('/admin')
})
