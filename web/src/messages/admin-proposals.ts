import type { AdminOrder, OrderProposal } from '@/api/types.gen'

/** What takes two people: one proposes, another decides. */
export const proposals = {
  title: 'Proposals',
  kinds: {
    refund: 'Refund',
    mark_sent: 'Mark as sent',
    confirm_receipt: 'Confirm receipt',
    amend_address: 'Another address',
    transfer_dead: 'Dead transfer',
  } satisfies Record<OrderProposal['kind'], string>,
  waiting: {
    refund: (amount: string) => `A refund of ${amount} needs second approval`,
    mark_sent: (amount: string) => `Marking ${amount} as sent needs second approval`,
    confirm_receipt: (amount: string) => `A receipt of ${amount} needs second approval`,
    amend_address: (amount: string) => `A new address for ${amount} needs second approval`,
    transfer_dead: (amount: string) => `Declaring the transfer for ${amount} dead needs second approval`,
  } satisfies Record<OrderProposal['kind'], (amount: string) => string>,
  by: (who: string) => `Proposed by ${who}`,
  still: 'Nothing has changed yet.',
  mine: 'You proposed this. Another person must approve it.',
  theirs: 'A colleague who can decide payments must approve or reject it.',
  badge: 'Needs second approval',
  filter: 'Needs approval',
  limit: (left: string) =>
    `One person can still refund ${left} of this order today, including the customer’s other refunds. This is more, so it becomes a proposal. Nothing changes until another person approves it.`,
  limitSent: (limit: string) =>
    `Orders above ${limit} need second approval, so this becomes a proposal. Nothing changes until another person approves it.`,
  aloneReceipt: (left: string) =>
    `You can confirm up to ${left} for this customer today. More needs a second person.`,
  limitReceipt: (left: string) =>
    `One person can still confirm ${left} for this customer today. This is more, so it becomes a proposal. Nothing is booked until another person approves it, and neither of you can fulfill or release the order.`,
  ownCoin: 'If you confirm the receipt, another person must fulfill or release the order.',
  limitAddress:
    'A new address needs second approval, so this becomes a proposal. Nothing changes until a person who did not confirm this order’s receipt approves it. We e-mail the customer.',
  limitDead:
    'Two people must declare a transfer dead, so this becomes a proposal. Nothing changes until another person approves it.',
  barredBy: {
    own_receipt: 'You confirmed this order’s receipt, so another person must fulfill or release it.',
    own_credit:
      'You credited the balance that pays this order alone, so another person must fulfill or release it. After 30 days, or when another person confirms the credit, you can.',
    own_identity:
      'You approved this customer’s identity alone, so another person must fulfill or release this order first. After 30 days, or when another person confirms the identity, you can.',
  } satisfies Record<Exclude<AdminOrder['barredBy'], ''>, string>,
  limitCredit: (limit: string) =>
    `Above ${limit} for one customer in a day, another person must approve the same value before it is credited.`,
  limitRelease: (limit: string) =>
    `Above ${limit} for one customer in a day, another person must release it too before it continues.`,
  first: (who: string, what: string) =>
    `${who} has approved ${what}. Another person must approve the same value.`,
  firstRelease: (who: string) => `${who} has released it. Another person must release it too.`,
  reference: 'Bank reference',
  address: 'New address',
  propose: (amount: string) => `Propose refund of ${amount}`,
  proposeSent: 'Propose',
  approve: 'Approve',
  approveTitle: {
    refund: 'Approve this refund?',
    mark_sent: 'Approve marking this as sent?',
    confirm_receipt: 'Approve this receipt?',
    amend_address: 'Approve this address?',
    transfer_dead: 'Declare this transfer dead?',
  },
  approveText: {
    refund: (amount: string, customer: string) => `Refunds ${amount} to customer ${customer} at once.`,
    mark_sent: (amount: string, customer: string) =>
      `Marks ${amount} for customer ${customer} as delivered. Nothing is sent.`,
    confirm_receipt: (amount: string, customer: string) =>
      `Approve only if you have seen ${amount} of customer ${customer} on the bank statement, under this reference. Another person must then fulfill or release the order.`,
    amend_address: (amount: string, customer: string) =>
      `${amount} of customer ${customer} goes to this address instead. We e-mail the customer.`,
    transfer_dead: (amount: string, customer: string) =>
      `Approve only if you have seen yourself that the transfer of ${amount} to customer ${customer} can never confirm. The order then fails, and can be sent again or refunded.`,
  },
  approved: 'Approved',
  reject: 'Reject',
  rejectTitle: 'Reject this proposal?',
  rejected: 'Proposal rejected',
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw your proposal?',
  withdrawn: 'Proposal withdrawn',
  endText: (amount: string, customer: string) =>
    `${amount} of customer ${customer}. Nothing changes. It can be proposed again.`,
  failed: 'Decision failed',
  failedText: 'Please try again.',
  evidence: 'Transaction ID',
  seen: 'Evidence',
  outcomes: {
    open: 'needs second approval',
    approved: 'approved',
    rejected: 'rejected',
    withdrawn: 'withdrawn',
    lapsed: 'expired: the order changed',
  } satisfies Record<OrderProposal['status'], string>,
} as const

const orders = (n: number) => (n === 1 ? '1 order' : `${n} orders`)

/** Several orders fulfilled at once: several decisions. */
export const bulk = {
  choose: 'Select',
  all: (n: number) => `Select all ${n} that can be fulfilled`,
  none: 'Clear selection',
  go: (n: number) => `Fulfill ${orders(n)}`,
  title: (n: number) => `Fulfill ${orders(n)}?`,
  text: (total: string) =>
    `${total} in total. Each order is decided separately, and its result appears here.`,
  started: 'Started',
  fates: {
    asking: 'Sending…',
    waiting: 'Waiting to send',
    unsent: 'Not sent',
    done: 'Done',
    working: 'In progress',
    refused: 'Rejected',
    unanswered: 'No answer',
  },
  unansweredText: 'It may have started. Check its status in the list.',
} as const

/** What became of an e-mail. */
export const mailFates = {
  sent: 'sent',
  waiting: 'waiting to be sent',
  replaced: 'not needed: replaced by a later e-mail',
  retrying: (attempts: number, why: string) =>
    `not sent after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${why ? ` (${why})` : ''}, trying again`,
  givenUp: (why: string) => (why ? `failed (${why})` : 'failed'),
} as const
