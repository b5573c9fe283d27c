import type { OrderMail, OrderProposal, ProviderReference } from '@/api/types.gen'

interface Reason {
  title: string
  /** What the person who reads it is to do. */
  todo: string
}

/** Why an order waits for a person of ours, and what that person is to do: one entry a reason of the server. */
export const attentionTexts: Record<string, Reason> = {
  checkout_failed: {
    title: 'The payment page could not be created',
    todo: 'Check Stripe’s status, then retry. The customer can also cancel.',
  },
  capture_unknown: {
    title: 'Capture result unknown',
    todo: 'Press Process again: it checks Stripe first and never charges twice. Decline releases the card if nothing was captured.',
  },
  refund_failed: {
    title: 'The refund was not accepted',
    todo: 'Read the bank’s answer at Stripe, then refund again. If the card is closed, agree on another way with the customer.',
  },
  refund_pending: {
    title: 'The refund is in progress',
    todo: 'Nothing is bought or sent meanwhile. Check the refund at Stripe: it is booked automatically when it completes. If it fails, refund again or retry.',
  },
  refund_blocked: {
    title: 'The refund waits for the transfer result',
    todo: 'The customer’s time to choose has passed. Retry to find out whether the crypto was sent, then refund.',
  },
  kyc_revoked: {
    title: 'The customer is no longer verified',
    todo: 'Wait for compliance to decide, then retry. If the customer stays unverified, refund.',
  },
  customer_frozen: {
    title: 'The customer is frozen',
    todo: 'The order continues when compliance unfreezes the customer. If the customer stays frozen, refund.',
  },
  address_blocked: {
    title: 'The address is on a blocked list',
    todo: 'Do not send. Ask compliance, then refund. Do not tell the customer why.',
  },
  risk_review: {
    title: 'Needs release by compliance',
    todo: 'Compliance releases it under Risk, or rejects it and refunds the customer. Do not tell the customer why.',
  },
  price_moved: {
    title: 'Buying costs more than the slippage allows',
    todo: 'The customer can choose to wait or get a refund. Retry when the price is back, or refund.',
  },
  price_unavailable: {
    title: 'No market price available',
    todo: 'Check Kraken’s status. Retry when prices are back.',
  },
  paused: {
    title: 'Paused by a kill switch',
    todo: 'The order continues when the switch is resumed. Kill switches shows who paused it, and why.',
  },
  wallet_short: {
    title: 'The wallet does not hold enough crypto',
    todo: 'Refill the wallet, then retry. If that takes long, refund.',
  },
  exchange_unknown: {
    title: 'Purchase result unknown',
    todo: 'Retry: it checks the exchange before it buys anything. Refund only when you know the result.',
  },
  transfer_unknown: {
    title: 'Transfer result unknown',
    todo: 'Find the sequence ID at BitGo. Retry checks it first. If BitGo shows that it was sent, mark the order as sent with the ID of that transfer. Refund only when you are certain that it was not sent.',
  },
  transfer_awaiting_approval: {
    title: 'Transfer needs approval at BitGo',
    todo: 'Approve or reject the transfer at BitGo. The order then continues automatically.',
  },
  address_refused: {
    title: 'Custody rejected the address',
    todo: 'We asked the customer for another address. You can also amend it, or refund.',
  },
  custody_cap: {
    title: 'Above the custody limit',
    todo: 'Wait until tomorrow or raise the limit, then retry.',
  },
  transfer_failed: {
    title: 'The transfer failed on the network',
    todo: 'Check on the network that the old transaction can never confirm, and say how you know. Then retry, mark as sent or refund. If BitGo calls it removed, two people must declare it dead first.',
  },
  transfer_unconfirmed: {
    title: 'Sent, but not confirmed in time',
    todo: 'Check the transaction on the network. Retry to keep following it.',
  },
  step_stuck: {
    title: 'A step is stuck',
    todo: 'Open the workflow to find out why, then retry.',
  },
  money_short: {
    title: 'Less money arrived than the order costs',
    todo: 'The customer can send the rest, take today’s price or get a refund. Confirm the next receipt when it arrives.',
  },
  money_over: {
    title: 'More money arrived than the order costs',
    todo: 'The customer chooses what happens with the rest.',
  },
  money_late: {
    title: 'The money arrived after the price expired',
    todo: 'The customer can take today’s price or get a refund.',
  },
  disputed: {
    title: 'The card payment is disputed',
    todo: 'Contest it with our evidence, or accept it, before the bank’s deadline.',
  },
  refunded_elsewhere: {
    title: 'The payment was returned, or may be',
    todo: 'It was refunded at Stripe, the bank returned it, or a return is proposed: see the receipts and refunds below. Then refund the rest to close the order, or agree with the customer how to continue.',
  },
}

export const adminOrder = {
  fetchFailed: 'Failed to fetch the order',
  back: 'All orders',
  details: 'Details',
  look: 'Quick look',
  openPage: 'Open page',
  todo: 'What to do',
  since: (time: string) => `since ${time}`,
  choice: 'The customer’s choice',
  choiceDue: (time: string, left: string) => `until ${time} (${left} left), then refunded`,
  choiceKept: (time: string) => `keeps trying until ${time}`,
  facts: 'Order',
  customer: 'Customer',
  price: 'Price',
  basePrice: 'Base price',
  fee: 'Payment fee',
  discount: 'Volume discount',
  unitPrice: 'Unit price',
  total: 'Total',
  payment: 'Payment',
  received: 'Received',
  refunded: 'Refunded',
  captureBefore: 'Card hold expires',
  story: 'Timeline',
  internal: 'internal',
  noStory: 'No events yet',
  by: { system: '', customer: 'customer', staff: 'staff', provider: 'provider' } as Record<string, string>,
  money: 'Receipts, refunds, disputes',
  noMoney: 'No receipts, refunds or disputes.',
  receipt: (reference: string) => `Receipt ${reference}`,
  refund: (destination: string) => `Refund to ${destination}`,
  dispute: 'Dispute',
  dueBy: (time: string) => `answer by ${time}`,
  purchases: 'Purchases',
  purchase: (asked: string, asset: string, limit: string) => `${asked} ${asset}, limit ${limit}`,
  filled: (filled: string, cost: string) => `bought ${filled} for ${cost}`,
  open: 'open',
  transfers: 'Transfers',
  decisions: 'Decisions',
  noDecisions: 'No decisions yet.',
  decisionKinds: {
    process: 'Process',
    decline: 'Decline',
    confirm_receipt: 'Confirm receipt',
    reject: 'Reject',
    fulfill: 'Fulfill',
    retry: 'Retry',
    refund: 'Refund',
    cancel: 'Cancel',
    hold: 'Hold',
    resume: 'Resume',
    amend_address: 'Amend address',
    mark_sent: 'Mark as sent',
    transfer_dead: 'Declare transfer dead',
    keep_trying: 'Keep trying',
    refund_now: 'Refund now',
    requote: 'Today’s price',
    keep_order: 'Keep as ordered',
    contest_dispute: 'Contest dispute',
    accept_dispute: 'Accept dispute',
  } as Record<string, string>,
  working: 'in progress',
  ledger: 'Ledger',
  ledgerCaption: 'Ledger entries of this order',
  noLedger: 'No ledger entries yet.',
  columns: { at: 'Time', event: 'Event', from: 'From', to: 'To', amount: 'Amount' },
  proof: 'Download proof',
  references: 'Provider records',
  providers: {
    stripe: 'Stripe',
    kraken: 'Kraken',
    bitgo: 'BitGo',
    explorer: 'Block explorer',
  } satisfies Record<ProviderReference['provider'], string>,
  referenceKinds: {
    payment: 'Payment',
    refund: 'Refund',
    dispute: 'Dispute',
    purchase: 'Purchase',
    transfer: 'Transfer',
    transaction: 'Transaction',
  } satisfies Record<ProviderReference['kind'], string>,
  openAt: (provider: string) => `Open at ${provider}`,
  mails: 'E-mails',
  noMails: 'No e-mails about this order.',
  mailToStaff: (to: string) => `${to} (staff)`,
  mailKinds: {
    order_created: 'Order created',
    payment_approved: 'Payment approved',
    payment_declined: 'Payment declined',
    order_expired: 'Order expired',
    address_held: 'New address to confirm',
    address_unconfirmed: 'New address not confirmed',
    address_amended: 'Destination changed',
    order_sent: 'Sent',
    order_failed: 'Order delayed',
    price_waiting: 'Waiting for the price',
    choice_offered: 'Keep trying or refund now',
    money_short: 'Less money than expected',
    money_over: 'More money than expected',
    money_late: 'Late payment',
    money_credited: 'Money credited to the balance',
    receipt_reversed: 'Payment reversed',
    money_returned: 'Returned by the bank',
    return_reinstated: 'Return reinstated',
    refunded: 'Refunded',
    refunded_in_part: 'Refunded in part',
    authorisation_expiring: 'Card hold expires soon',
    dispute_opened: 'Payment disputed',
    dispute_won: 'Dispute won',
    dispute_lost: 'Dispute lost',
    refunded_at_provider: 'Refunded at Stripe',
    address_refused: 'Another address needed',
    payment_disputed: 'Payment disputed (customer)',
    refund_bounced: 'Refund not accepted',
    order_frozen: 'Account on hold',
    order_held: 'Order on hold',
  } satisfies Record<OrderMail['kind'], string>,
} as const

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
  ownReceipt: 'You confirmed this order’s receipt, so another person must fulfill or release it.',
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
  fates: {
    asking: 'Sending…',
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
