import { expect, test } from 'vitest'
import type { Approval } from '@/api/types.gen'
import { adminApprovals } from '@/messages/admin-approvals'
import { amountOf, bankLineOf, detailText } from './approval-facts'
import { approvalKinds } from './filters'
import { actionsOf, approveActs, endActs, pageOf } from './queries'

const row = (over: Partial<Approval>): Approval => ({
  id: '1',
  kind: 'order_proposal',
  act: 'refund',
  title: 'Refund',
  since: '2026-11-29T10:00:00Z',
  amount: '75.00',
  currency: 'USD',
  coins: '',
  asset: '',
  customerId: null,
  customer: '',
  customerEmail: '',
  objectKind: 'order',
  objectId: '2',
  reference: 'TP-1',
  bankReference: '',
  bankDate: '',
  bankSender: '',
  reason: 'charged twice',
  documentId: null,
  details: [],
  lines: [],
  proposer: 'Ada',
  version: 'v',
  mayDecide: true,
  rule: null,
  eligible: 1,
  barred: [],
  ...over,
})

test('each kind has a name and a page', () => {
  expect([...approvalKinds].sort()).toEqual(Object.keys(adminApprovals.kinds).sort())
  for (const kind of approvalKinds) {
    expect(adminApprovals.kinds[kind]).not.toBe('')
    expect(pageOf(row({ kind })).to).toMatch(/^\/admin\//)
  }
})

test('only what an approver may do here is offered', () => {
  for (const kind of approvalKinds) {
    const may = actionsOf(row({ kind }))
    expect(may.includes('approve')).toBe(kind in approveActs)
    expect(may.includes('reject')).toBe(kind in endActs)
    expect(actionsOf(row({ kind, mayDecide: false, rule: 'role' }))).toEqual([])
    expect(actionsOf(row({ kind, mayDecide: false, rule: 'own_proposal' }))).toEqual(
      kind in endActs ? ['withdraw'] : [],
    )
    expect(actionsOf(row({ kind, mayDecide: false, rule: 'own_receipt' }))).toEqual(
      kind in endActs ? ['reject'] : [],
    )
  }
})

test('amounts, bank lines and facts are in the words of the pages', () => {
  expect(amountOf(row({}))).toBe('$75.00')
  expect(amountOf(row({ amount: '0.5', currency: 'BTC' }))).toBe('0.5 BTC')
  expect(bankLineOf(row({ bankReference: 'FED-1', bankDate: '2026-11-21', bankSender: 'A. N. Other' }))).toBe(
    'FED-1 · Nov 21, 2026 · A. N. Other',
  )
  expect(detailText('ends', 'yes')).toBe('Yes')
  expect(detailText('orderStatus', 'payment_approved')).toBe('payment approved')
})
