import type { OrderMail, OrderProposal, ProviderReference } from '@/api/types.gen'

interface Reason {
  title: string
  /** What the person who reads it is to do. */
  todo: string
}

/** Why an order waits for a person of ours, and what that person is to do: one entry a reason of the server. */
export const attentionTexts: Record<string, Reason> = {
  checkout_failed: {
    title: 'No payment page could be made',
    todo: 'Look at Stripe’s status, then retry. The customer may also cancel.',
  },
  capture_unknown: {
    title: 'It is not known whether the payment was captured',
    todo: 'Press Process again: it looks at Stripe first and never charges twice. Decline releases the card if it was not.',
  },
  refund_failed: {
    title: 'The refund was not accepted',
    todo: 'Read the bank’s answer at Stripe. Refund again; if the card is closed, agree another way with the customer.',
  },
  refund_pending: {
    title: 'The refund is still being carried out',
    todo: 'Nothing is bought or sent meanwhile. Look at the refund at Stripe; it is booked by itself when it is there. If it fails, refund again or retry.',
  },
  refund_blocked: {
    title: 'The refund waits until the coin’s fate is known',
    todo: 'The customer’s time to choose has passed. Retry: it learns what became of the coin. Then refund.',
  },
  kyc_revoked: {
    title: 'The customer is no longer verified',
    todo: 'Wait until compliance has decided, then retry. If it stays so, refund.',
  },
  customer_frozen: {
    title: 'The customer is frozen',
    todo: 'It goes on by itself when compliance unfreezes the customer. If it stays so, refund.',
  },
  address_blocked: {
    title: 'The address is on a blocked list',
    todo: 'Do not send. Ask compliance; then refund. Do not tell the customer why.',
  },
  risk_review: {
    title: 'Compliance has yet to release it',
    todo: 'Compliance releases it under Risk, or refuses it and the money goes back. Do not tell the customer why.',
  },
  price_moved: {
    title: 'Buying costs more than the slippage allows',
    todo: 'The customer has been asked: wait or refund. Retry when the price is back, or refund.',
  },
  price_unavailable: {
    title: 'There is no price to compare with',
    todo: 'Look at Kraken’s status. Retry when prices are back.',
  },
  paused: {
    title: 'Paused by a kill switch',
    todo: 'It goes on by itself when the switch is turned back. The switches say who paused what, and why.',
  },
  wallet_short: {
    title: 'The wallet does not hold enough coin',
    todo: 'Fill the wallet up, then retry. If that takes long, refund.',
  },
  exchange_unknown: {
    title: 'It is not known whether the coin was bought',
    todo: 'Retry: the order is looked up by its identity before anything is bought. Refund only once that is known.',
  },
  transfer_unknown: {
    title: 'It is not known whether the coin was sent',
    todo: 'Look for the sequence id at BitGo. Retry looks it up first. If BitGo shows that it was sent, mark it as sent with the id of that transfer. Refund only when it was certainly not sent.',
  },
  transfer_awaiting_approval: {
    title: 'Custody waits for its own approval',
    todo: 'Approve or reject the transfer at BitGo. The order goes on by itself.',
  },
  address_refused: {
    title: 'Custody calls the address wrong',
    todo: 'Ask the customer for another address and amend it, or refund.',
  },
  custody_cap: {
    title: 'Beyond custody’s own caps',
    todo: 'Wait for the next day or raise the cap, then retry.',
  },
  transfer_failed: {
    title: 'The transfer failed on the network',
    todo: 'Make sure on the network that the old transaction can never confirm, and say how you know. Then retry, mark as sent, or refund.',
  },
  transfer_unconfirmed: {
    title: 'Sent, but not confirmed for too long',
    todo: 'Look at the transaction on the network. Retry follows it on.',
  },
  step_stuck: {
    title: 'A step does not get on',
    todo: 'Open the workflow to see why, then retry.',
  },
  money_short: {
    title: 'Less money arrived than the order costs',
    todo: 'The customer has been asked: send the rest, take today’s price, or refund. Confirm a further receipt when it comes.',
  },
  money_over: {
    title: 'More money arrived than the order costs',
    todo: 'The customer has been asked what to do with the rest.',
  },
  money_late: {
    title: 'The money arrived after the price had run out',
    todo: 'The customer has been asked: today’s price or a refund.',
  },
  disputed: {
    title: 'The card payment is disputed',
    todo: 'Contest it with the evidence we hold, or accept it, before the bank’s deadline.',
  },
  refunded_elsewhere: {
    title: 'The payment went back elsewhere, or is in question',
    todo: 'It was refunded at Stripe, its bank took it back, or somebody proposed to book that: see the money below. Then refund the rest to close the order, or agree with the customer how to go on.',
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
  refunded: 'Given back',
  captureBefore: 'Hold on the card ends',
  story: 'Story',
  internal: 'internal',
  noStory: 'Nothing has happened yet',
  by: { system: '', customer: 'customer', staff: 'staff', provider: 'provider' } as Record<string, string>,
  money: 'Receipts, refunds, disputes',
  noMoney: 'No money has come or gone by itself.',
  receipt: (reference: string) => `Receipt ${reference}`,
  refund: (destination: string) => `Refund to ${destination}`,
  dispute: 'Dispute',
  dueBy: (time: string) => `answer by ${time}`,
  purchases: 'Purchases',
  purchase: (asked: string, asset: string, limit: string) => `${asked} ${asset} at most ${limit}`,
  filled: (filled: string, cost: string) => `bought ${filled} for ${cost}`,
  open: 'open',
  transfers: 'Transfers',
  decisions: 'Decisions',
  noDecisions: 'Nobody has decided anything yet.',
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
    keep_trying: 'Keep trying',
    refund_now: 'Refund now',
    requote: 'Today’s price',
    keep_order: 'Keep as ordered',
    contest_dispute: 'Contest dispute',
    accept_dispute: 'Accept dispute',
  } as Record<string, string>,
  working: 'being carried out',
  ledger: 'Ledger',
  ledgerCaption: 'How this order was booked',
  noLedger: 'Nothing is booked yet.',
  columns: { at: 'Time', event: 'Event', from: 'From', to: 'To', amount: 'Amount' },
  proof: 'Download proof',
  references: 'At the providers',
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
  noMails: 'No e-mail has been written about it.',
  mailToStaff: (to: string) => `${to} (staff)`,
  mailKinds: {
    order_created: 'Order created',
    payment_approved: 'Payment approved',
    payment_declined: 'Payment declined',
    order_expired: 'Order expired',
    address_amended: 'Destination changed',
    order_sent: 'Sent',
    order_failed: 'Order held up',
    price_waiting: 'Waiting for the price',
    choice_offered: 'Keep trying or refund now',
    money_short: 'Less money than expected',
    money_over: 'More money than expected',
    money_late: 'Money came late',
    money_credited: 'Money credited to the balance',
    receipt_reversed: 'Payment taken off the order',
    money_returned: 'Taken back by the bank',
    return_reinstated: 'Came back from the bank',
    refunded: 'Refunded',
    refunded_in_part: 'Refunded in part',
    authorisation_expiring: 'Hold on the card ends soon',
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
  } satisfies Record<OrderProposal['kind'], string>,
  waiting: {
    refund: (amount: string) => `A refund of ${amount} waits for a second person`,
    mark_sent: (amount: string) => `“Sent by other means” waits for a second person: ${amount}`,
    confirm_receipt: (amount: string) => `A receipt of ${amount} waits for a second person`,
    amend_address: (amount: string) =>
      `Another destination waits for a second person, for an order of ${amount}`,
  } satisfies Record<OrderProposal['kind'], (amount: string) => string>,
  by: (who: string) => `Proposed by ${who}`,
  still: 'Nothing has moved.',
  mine: 'You proposed it: somebody else has to approve it.',
  theirs: 'Somebody who decides about payments has to approve or reject it.',
  badge: 'Waits for a second person',
  filter: 'Waits for approval',
  limit: (left: string) =>
    `One person may still give back ${left} of this order today, counted with the customer’s other refunds; this is more. It is proposed: nothing moves until a second person approves.`,
  limitSent: (limit: string) =>
    `The order is above ${limit}, which one person does not decide alone. It is proposed: nothing changes until a second person approves.`,
  aloneReceipt: (left: string) =>
    `You can confirm up to ${left} for this customer today. More needs a second person.`,
  limitReceipt: (left: string) =>
    `One person may still confirm ${left} for this customer today; this is more. It is proposed: nothing is booked until another person approves, and neither of you decides about the coin.`,
  ownCoin:
    'Who confirms a receipt does not decide about the order’s coin: somebody else fulfills or releases it.',
  limitAddress:
    'Where a customer’s coin goes is changed by two people. It is proposed: nothing changes until another person approves who did not confirm this order’s receipt. The customer is told by e-mail.',
  ownReceipt: 'This order’s money came on your word: somebody else decides about its coin.',
  limitCredit: (limit: string) =>
    `Above ${limit} of a customer and day another person has to approve the same value: nothing is credited before.`,
  limitRelease: (limit: string) =>
    `Above ${limit} of a customer and day another person has to release it too: nothing goes on before.`,
  first: (who: string, what: string) =>
    `${who} has approved ${what}. Another person has to approve the same.`,
  firstRelease: (who: string) => `${who} has released it. Another person has to release it too.`,
  reference: 'Bank reference',
  address: 'New address',
  propose: (amount: string) => `Propose refund of ${amount}`,
  proposeSent: 'Propose',
  approve: 'Approve',
  approveTitle: {
    refund: 'Approve this refund?',
    mark_sent: 'Approve that it was sent by other means?',
    confirm_receipt: 'Approve this receipt?',
    amend_address: 'Approve this address?',
  },
  approveText: {
    refund: (amount: string, customer: string) => `${amount} goes back to customer ${customer} at once.`,
    mark_sent: (amount: string, customer: string) =>
      `${amount} for customer ${customer} is counted as delivered. Nothing is sent.`,
    confirm_receipt: (amount: string, customer: string) =>
      `You have seen ${amount} of customer ${customer} on the bank statement yourself, under this reference. You do not decide about the order’s coin then.`,
    amend_address: (amount: string, customer: string) =>
      `${amount} of customer ${customer} goes to this address instead. They are told by e-mail.`,
  },
  approved: 'Approved',
  reject: 'Reject',
  rejectTitle: 'Reject this proposal?',
  rejected: 'Proposal rejected',
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw your proposal?',
  withdrawn: 'Proposal withdrawn',
  endText: (amount: string, customer: string) =>
    `${amount} of customer ${customer}. Nothing is done; it can be proposed anew.`,
  failed: 'Not decided',
  failedText: 'Please try again.',
  evidence: 'Transaction ID',
  outcomes: {
    open: 'waits for a second person',
    approved: 'approved',
    rejected: 'rejected',
    withdrawn: 'withdrawn',
    lapsed: 'lapsed: the order went another way',
  } satisfies Record<OrderProposal['status'], string>,
} as const

const orders = (n: number) => (n === 1 ? '1 order' : `${n} orders`)

/** Several orders fulfilled at once: several decisions. */
export const bulk = {
  choose: 'Choose',
  all: (n: number) => `Choose all ${n} that can be fulfilled`,
  none: 'Choose none',
  go: (n: number) => `Fulfill ${orders(n)}`,
  title: (n: number) => `Fulfill ${orders(n)}?`,
  text: (total: string) =>
    `Bought for ${total} together. Each is its own decision, and says here what came of it.`,
  fates: {
    asking: 'Under way…',
    done: 'Done',
    working: 'Being carried out',
    refused: 'Refused',
    unanswered: 'No answer',
  },
  unansweredText: 'It is not known whether it was started: the list says what is true.',
} as const

/** What became of an e-mail. */
export const mailFates = {
  sent: 'sent',
  waiting: 'waiting to be sent',
  replaced: 'not needed: a later mail says more',
  retrying: (attempts: number, why: string) =>
    `not sent after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${why ? ` (${why})` : ''}, trying again`,
  givenUp: (why: string) => (why ? `given up (${why})` : 'given up'),
} as const
