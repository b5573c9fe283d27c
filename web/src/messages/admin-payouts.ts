import type { AdminPayout, PayoutCheck } from '@/api/types.gen'

const payouts = (n: number) => (n === 1 ? '1 payout' : `${n} payouts`)

/** The back office's words about payouts. */
export const adminPayouts = {
  title: 'Payouts',
  one: 'Payout',
  fetchFailed: 'Failed to fetch payouts',
  empty: 'No payouts found',
  check: {
    holder: (_, result) =>
      result === 'pass'
        ? 'The holder of the bank account has the customer’s name'
        : 'The holder of the bank account is called otherwise than the customer',
    account: (_, result) =>
      result === 'pass' ? 'The account is in good standing' : 'The account is frozen or disabled',
    identity: (_, result) =>
      result === 'pass' ? 'The customer’s identity is verified' : 'The customer’s identity is not verified',
    owes: (_, result) => (result === 'pass' ? 'The customer owes us nothing' : 'The customer owes us money'),
    age: (n) =>
      n === 0
        ? 'The account was opened on the same day'
        : `The account was ${n === 1 ? '1 day' : `${n} days`} old when it was asked for`,
    paid_before: (n) => (n === 0 ? 'Nothing was paid out to them before' : `${payouts(n)} to them before`),
    returned_before: (n) =>
      n === 0 ? 'No bank has sent back a payout of theirs' : `${payouts(n)} of theirs sent back by a bank`,
  } satisfies Record<PayoutCheck['name'], (n: number, result: PayoutCheck['result']) => string>,
  stats: {
    total: 'Total',
    requested: 'To approve',
    approved: 'To transfer',
    paid: 'Paid',
    sum: 'Waiting sum',
  },
  status: {
    requested: 'To approve',
    approved: 'To transfer',
    paid: 'Paid',
    rejected: 'Rejected',
    cancelled: 'Cancelled',
    returned: 'Sent back',
  } satisfies Record<AdminPayout['status'], string>,
  customer: 'Customer',
  amount: 'Amount',
  account: 'Account',
  accountOf: (kind: AdminPayout['accountKind'], country: string, last4: string) =>
    `${kind === 'us' ? 'US account' : 'IBAN'} ••••${last4}${kind === 'iban' ? ` (${country})` : ''}`,
  approvals: 'Approvals',
  approvalsOf: (has: number, needs: number) => `${has} of ${needs}`,
  asked: 'Asked for',
  waits: 'Waits',
  paidAt: 'Transferred',
  bankReference: 'Bank reference',
  returnable: 'May come back until',
  reason: 'Reason given',
  bank: 'Bank account',
  sealed: 'Holder and number are sealed. Each reveal is kept in the audit log under your name.',
  destroyed: 'The bank details of this payout have been destroyed.',
  revealFailed: 'The bank details could not be revealed',
  holder: 'Account holder',
  routing: 'Routing number',
  number: 'Account number',
  iban: 'IBAN',
  second:
    'One person has approved this payout. It is above the limit for one alone: somebody else must agree.',
  own: 'This is your own payout: somebody else decides about it.',
  approve: 'Approve',
  approveTitle: 'Approve this payout?',
  approveText: (what: string) => `${what}. Somebody then makes the transfer at the bank.`,
  approveFirstText: (what: string) =>
    `${what}. It is above the limit for one person: a second one must agree before the transfer.`,
  approved: 'Approval recorded',
  reject: 'Reject',
  rejectTitle: 'Reject this payout?',
  rejectText: (what: string) =>
    `${what}. The amount goes back to the balance, the bank details are destroyed, and the customer reads your reason.`,
  rejectReason: 'Reason, for the customer',
  rejectPlaceholder: 'The account is not in your name.',
  rejected: 'Payout rejected',
  confirm: 'Confirm transfer',
  confirmTitle: 'Was this transfer made?',
  confirmText: (what: string) => `${what}. Confirm only what your bank has executed: the customer is told.`,
  confirmField: 'The bank’s reference of the transfer',
  confirmHint: 'The customer sees it. Each reference can be used once.',
  confirmed: 'Transfer recorded',
  return: 'Mark as sent back',
  returnTitle: 'Did the bank send this transfer back?',
  returnText: (what: string) =>
    `${what}. The amount goes back to the balance, and the customer reads your reason.`,
  returnPlaceholder: 'The account is closed.',
  returnField: 'Amount that came back, if it is less',
  returnHint:
    'In dollars. A fee that a bank kept is ours to bear; the customer is credited the whole payout.',
  returned: 'Return recorded',
  returnTakesTwo: (left: string) =>
    `One person may still credit ${left} to this customer today; this is more. It is proposed: nothing is booked until another person approves it under “Money in”.`,
  returnProposed: (who: string) => `${who} has proposed to book this transfer as sent back`,
  returnWaits: 'Nothing is booked until another person approves it.',
  returnLook: 'Open the proposals',
  what: (reference: string, amount: string, customer: string, account: string) =>
    `${reference}: ${amount} of ${customer} to ${account}`,
  failed: 'This could not be done',
  failedText: 'Please try again.',
} as const
