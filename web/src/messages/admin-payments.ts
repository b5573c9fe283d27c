export const adminPayments = {
  title: 'Pending Payments',
  stats: {
    total: 'Total',
    pending: 'Pending',
    approved: 'Approved',
    declined: 'Declined',
    totalValue: 'Total Value',
  },
  filters: {
    all: 'All',
    waiting: 'Waiting for money',
    pending: 'Pending',
    approved: 'Approved',
    declined: 'Declined',
  },
  statusFilter: 'Status',
  methodFilter: 'Payment method',
  allMethods: 'All methods',
  empty: 'No pending payments found',
  emptyHint: (waiting: number) =>
    waiting === 0
      ? 'No payment needs a decision.'
      : `No payment needs a decision. Transfers that arrive at the bank are confirmed under “Waiting for money” (${waiting}).`,
  fetchFailed: 'Failed to fetch payments',
  customer: 'Customer',
  amount: 'Amount',
  method: 'Method',
  submitted: 'Submitted',
  notYet: 'Not yet',
  order: 'Order',
  details: 'Details',
  tradeInfo: 'Order details',
  cardInfo: 'Card information',
  brand: 'Brand',
  last4: 'Last four digits',
  evidence: 'Evidence',
  receiptPhoto: 'Receipt photo',
  cardPhoto: 'Card photo',
  noEvidence: 'No files uploaded',
  tradeHash: 'Trade hash',
  status: 'Status',
  process: 'Process',
  decline: 'Decline',
  processed: 'Payment Processed',
  processedText: 'The payment has been successfully captured and charged.',
  /** After it, which payment: the row has left the list. */
  processedWhich: (reference: string, amount: string) => `${reference}, ${amount}.`,
  processFailed: 'Processing Failed',
  processFailedText: 'Failed to process payment. Please try again.',
  declined: 'Payment Declined',
  declinedText: 'The payment has been declined.',
  declineFailed: 'Decline Failed',
  declineFailedText: 'Failed to decline payment. Please try again.',
  processTitle: 'Capture this payment?',
  processText: (amount: string, customer: string) => `${amount} is charged to ${customer}.`,
  declineTitle: 'Decline this payment?',
  declineText: (amount: string, customer: string) =>
    `${amount} from ${customer} is released and the order is closed. The reason is saved in the audit log.`,
  reason: 'Reason',
  reasonPlaceholder: 'What did you find?',
  confirmDecline: 'Decline payment',
  confirmReceipt: 'Confirm receipt',
  reject: 'Reject',
  bookMore: 'Record extra payment',
  bookMoreTitle: 'Record an extra payment',
  bookMoreText: (customer: string) =>
    `This order needs no more money. The amount is credited to ${customer}’s balance at once.`,
  bookMoreDone: 'Extra payment recorded',
  bookMoreDoneText: 'It was credited to the customer’s balance.',
  receiptTitle: 'Confirm that the money arrived',
  receiptText: (amount: string, customer: string) =>
    `${amount} expected from ${customer}. Enter what the bank statement shows.`,
  receiptShortText: (missing: string, total: string, customer: string) =>
    `${missing} of ${total} missing from ${customer}. Enter what the bank statement shows.`,
  receivedAmount: 'Amount received (USD)',
  receivedOn: 'Received on',
  bankReference: 'Bank reference',
  bankReferenceHint: 'From the bank statement. Each reference can be used once.',
  receiptConfirmed: 'Receipt confirmed',
  receiptConfirmedText: 'The payment is booked. The order shows what happens next.',
  receiptFailed: 'Confirmation failed',
  receiptFailedText: 'Failed to confirm the receipt. Please try again.',
  rejected: 'Payment rejected',
  rejectedText: 'The payment has been rejected.',
  rejectTitle: 'Reject this payment?',
  rejectText: (amount: string, customer: string) =>
    `The order of ${customer} for ${amount} is closed. The reason is saved in the audit log.`,
  confirmReject: 'Reject payment',
  amountInvalid: 'Please enter a valid amount',
  previewFits: 'The amount matches',
  previewFitsText: 'The payment is approved and the order can be fulfilled.',
  previewTakesTwoText: 'Another person must approve this receipt before the payment is approved.',
  previewShort: (missing: string) => `${missing} short`,
  previewShortText:
    'We hold the money until the customer chooses: send the rest, take today’s price or get a refund.',
  previewOver: (surplus: string) => `Overpaid by ${surplus}`,
  previewOverText:
    'We hold the money until the customer chooses: credit the rest to the balance, buy more crypto or get a refund.',
  previewLate: 'This order is already closed',
  previewLateText:
    'The order reopens. We hold the money until the customer chooses: today’s price or a refund.',
  previewSums: (before: string, now: string, sum: string, total: string) =>
    `${before} before + ${now} now = ${sum} of ${total}`,
  holdEnds: (left: string) => `Hold expires in ${left}`,
  holdEnded: 'Hold expired',
  expiring: (holds: number) => (holds === 1 ? '1 card hold expires soon' : `${holds} card holds expire soon`),
  expiringText:
    'Process or decline these first. When a hold expires, the order is closed and nothing can be charged.',
  required: 'Fill in this field.',
} as const

/** The text of a payment that cannot be decided yet. */
export const waitingPayment = {
  waits: 'Waits for',
  waitsFor: { card: 'Card entry', money: 'Transfer' },
  since: 'Since',
} as const

/** How money that came does not fit its order, until the customer chooses. */
export const misfits = { short: 'Part received', over: 'Overpaid', late: 'Received late' } as const
