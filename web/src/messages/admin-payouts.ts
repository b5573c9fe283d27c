import type { AdminPayout, PayoutCheck } from '@/api/types.gen'

const payouts = (n: number) => (n === 1 ? '1 payout' : `${n} payouts`)

/** The back office's texts about payouts. */
export const adminPayouts = {
  title: 'Payouts',
  one: 'Payout',
  fetchFailed: 'Failed to fetch payouts',
  empty: 'No payouts found',
  toTransfer: (n: number) => `Nothing to approve, ${payouts(n)} to transfer`,
  check: {
    holder: (_, result) =>
      result === 'pass'
        ? 'The account holder’s name matches the customer’s'
        : 'The account holder’s name does not match the customer’s',
    account: (_, result) =>
      result === 'pass' ? 'The account is in good standing' : 'The account is frozen or disabled',
    identity: (_, result) =>
      result === 'pass' ? 'The customer’s identity is verified' : 'The customer’s identity is not verified',
    owes: (_, result) => (result === 'pass' ? 'The customer owes us nothing' : 'The customer owes us money'),
    age: (n) =>
      n === 0
        ? 'Account opened on the same day'
        : `Account ${n === 1 ? '1 day' : `${n} days`} old when the payout was requested`,
    paid_before: (n) => (n === 0 ? 'No payouts before' : `${payouts(n)} before`),
    returned_before: (n) => (n === 0 ? 'No payouts returned by a bank' : `${payouts(n)} returned by a bank`),
  } satisfies Record<PayoutCheck['name'], (n: number, result: PayoutCheck['result']) => string>,
  stats: {
    total: 'Total',
    requested: 'To approve',
    approved: 'To transfer',
    paid: 'Paid',
    sum: 'Open amount',
  },
  status: {
    unconfirmed: 'Not confirmed by the customer',
    requested: 'To approve',
    approved: 'To transfer',
    paid: 'Paid',
    rejected: 'Rejected',
    cancelled: 'Cancelled',
    returned: 'Returned',
  } satisfies Record<AdminPayout['status'], string>,
  customer: 'Customer',
  amount: 'Amount',
  account: 'Account',
  accountOf: (kind: AdminPayout['accountKind'], country: string, last4: string) =>
    `${kind === 'us' ? 'US account' : 'IBAN'} ••••${last4}${kind === 'iban' ? ` (${country})` : ''}`,
  approvals: 'Approvals',
  approvalsOf: (has: number, needs: number) => `${has} of ${needs}`,
  asked: 'Requested',
  waits: 'Waiting for',
  paidAt: 'Transferred',
  bankReference: 'Bank reference',
  returnable: 'Can be returned until',
  holderDiffers: (name: string) =>
    `Account holder differs from the verified name: ${name}. Two people must approve it.`,
  reason: 'Reason',
  bank: 'Bank account',
  sealed: 'Holder and number are hidden. Each reveal is recorded in the audit log under your name.',
  destroyed: 'The bank details of this payout have been deleted.',
  revealFailed: 'Could not reveal the bank details',
  holder: 'Account holder',
  routing: 'Routing number',
  number: 'Account number',
  iban: 'IBAN',
  second:
    'One person has approved this payout. It is above the limit for one person, so another must approve it too.',
  own: 'This is your own payout. Another person must decide.',
  approve: 'Approve',
  approveTitle: 'Approve this payout?',
  approveText: (what: string) => `${what}. The next step is the transfer at the bank.`,
  approveFirstText: (what: string) =>
    `${what}. It is above the limit for one person, so another must approve it before the transfer.`,
  approved: 'Approval recorded',
  reject: 'Reject',
  rejectTitle: 'Reject this payout?',
  rejectText: (what: string) =>
    `${what}. The amount is credited to the balance, the bank details are deleted, and the customer sees your reason.`,
  rejectReason: 'Reason, for the customer',
  rejectPlaceholder: 'The account is not in your name.',
  rejected: 'Payout rejected',
  confirm: 'Confirm transfer',
  confirmTitle: 'Was this transfer made?',
  confirmText: (what: string) =>
    `${what}. Confirm only a transfer that the bank has executed. We tell the customer.`,
  confirmField: 'Bank reference of the transfer',
  confirmHint: 'The customer sees it. Each reference can be used once.',
  confirmed: 'Transfer recorded',
  return: 'Mark as returned',
  returnTitle: 'Did the bank return this transfer?',
  returnText: (what: string) =>
    `${what}. The amount is credited to the balance, and the customer sees your reason.`,
  returnPlaceholder: 'The account is closed.',
  returnField: 'Amount returned, if less',
  returnHint: 'In dollars. We pay any bank fee: the full payout is credited to the customer.',
  returned: 'Return recorded',
  returnTakesTwo: (left: string) =>
    `One person can still credit ${left} to this customer today. This is more, so it becomes a proposal. Nothing is booked until another person approves it under “Money in”.`,
  returnProposed: (who: string) => `${who} has proposed to mark this transfer as returned`,
  returnWaits: 'Nothing is booked until another person approves it.',
  returnLook: 'Open proposals',
  what: (reference: string, amount: string, customer: string, account: string) =>
    `${reference}: ${amount} of ${customer} to ${account}`,
  failed: 'Action failed',
  failedText: 'Please try again.',
} as const
