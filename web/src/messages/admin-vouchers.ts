import type { AdminRedemption, AdminVoucher } from '@/api/types.gen'

/** What staff read about vouchers; the literals are SPEC's. */
export const adminVouchers = {
  title: 'Vouchers',
  fetchFailed: 'Failed to fetch vouchers',
  empty: 'No vouchers',
  emptyFiltered: 'No voucher is in this state. Choose another one.',
  emptyHint: 'Generate some above.',
  statusFilter: 'State',
  all: 'All',
  searchLabel: 'Search',
  search: 'Last 4 digits, reference, redeemer',
  anyCurrency: 'Any',
  batch: 'Batch',
  batches: 'Batches',
  anyBatch: 'of any batch',
  stats: {
    today: 'Redeemed today',
    value: 'Total value',
    outstanding: 'Can be redeemed',
    rate: 'Success rate',
    waiting: 'Wait for a person',
  },
  generateTitle: 'Generate vouchers',
  generateLead:
    'Codes are shown here once, and stand in the export until they are redeemed. They expire 365 days from now.',
  amount: 'Amount',
  custom: 'Custom',
  customAmount: 'Custom amount',
  currency: 'Currency',
  quantity: 'Quantity',
  badQuantity: 'Quantity must be between 1 and 100',
  badAmount: 'Please enter a valid amount',
  generate: 'Generate',
  generating: (done: number, of: number) => `Generating ${done} of ${of}…`,
  generated: (code: string) => `Generated voucher: ${code}`,
  failed: 'Failed to generate voucher',
  brokenOff: (done: number, of: number) => `${done} of ${of} were made. Press again to make the rest.`,
  needsApproval: 'These wait for another admin before they can be redeemed.',
  made: 'Just generated',
  export: 'Export CSV',
  noneTitle: 'No Vouchers',
  noneText: 'Generate some vouchers first',
  exportFailed: 'The export did not work',
  worth: 'Worth',
  expires: 'Expires',
  by: 'Made by',
  approvedBy: 'Approved by',
  madeAt: 'Made',
  redeemer: 'Redeemed by',
  pays: 'Pays',
  waits: 'Waits',
  lastError: 'Last error',
  reasonGiven: 'Reason',
  underWay: 'A decision is being carried out',
  actions: {
    approve: 'Approve batch',
    void: 'Void',
    resume: 'Resume',
    restore: 'Restore',
  },
  dialogs: {
    approve: {
      title: 'Approve this batch',
      text: 'Every waiting voucher of the batch can be redeemed then.',
    },
    void: { title: 'Void this voucher', text: 'Nobody can redeem it any more. This cannot be taken back.' },
    resume: { title: 'Resume this redemption', text: 'It goes on from where it stopped, at today’s price.' },
    restore: {
      title: 'Restore this voucher',
      text: 'The redemption is given up and the same code can be redeemed again.',
    },
  },
  reason: 'Reason',
  reasonPlaceholder: 'Kept in the audit log',
  done: {
    approve: 'Batch approved',
    void: 'Voucher voided',
    resume: 'Redemption resumed',
    restore: 'Voucher restored',
  },
  decisionFailed: 'That did not work',
  decisionFailedText: 'Please try again.',
} as const

/** Why a redemption waits for a person of ours, and what that person is to do: one entry a reason of the server. */
export const voucherReasons: Record<
  NonNullable<AdminRedemption['attention']>,
  { title: string; todo: string }
> = {
  account_frozen: {
    title: 'The customer is frozen',
    todo: 'It goes on by itself when compliance unfreezes the customer. If it stays so, restore the voucher.',
  },
  kyc_revoked: {
    title: 'The customer is no longer verified',
    todo: 'Wait until compliance has decided, then resume. If it stays so, restore the voucher.',
  },
  address_blocked: {
    title: 'The address is on a blocked list',
    todo: 'Do not send. Ask compliance; then restore the voucher. Do not tell the customer why.',
  },
  risk_review: {
    title: 'Compliance has yet to release it',
    todo: 'Compliance releases it under Risk. Do not tell the customer why.',
  },
  paused: {
    title: 'Paused by a kill switch',
    todo: 'It goes on by itself when the switch is turned back. The switches say who paused what, and why.',
  },
  price_unavailable: {
    title: 'There is no price to convert at',
    todo: 'Look at Kraken’s status. Resume when prices are back.',
  },
  price_moved: {
    title: 'Buying costs more than the slippage allows',
    todo: 'Resume to buy at today’s price, or restore the voucher.',
  },
  buy_refused: {
    title: 'Kraken would not take the order',
    todo: 'See why at Kraken. Then resume, or restore the voucher.',
  },
  exchange_unknown: {
    title: 'It is not known whether the coin was bought',
    todo: 'Resume: the order is looked up by its identity before anything is bought.',
  },
  custody_cap: {
    title: 'Beyond custody’s own caps',
    todo: 'Wait for the next day or raise the cap, then resume.',
  },
  transfer_awaiting_approval: {
    title: 'Custody waits for its own approval',
    todo: 'Approve or reject the transfer at BitGo. It goes on by itself.',
  },
  transfer_rejected: {
    title: 'One of us said no at BitGo',
    todo: 'Ask them why. Resume sends it for approval again; restore gives the voucher back.',
  },
  address_refused: {
    title: 'Custody calls the address wrong',
    todo: 'Restore the voucher: the customer redeems it again, with another address.',
  },
  transfer_refused: {
    title: 'BitGo would not take the transfer',
    todo: 'See why at BitGo. Then resume, or restore the voucher.',
  },
  transfer_unknown: {
    title: 'It is not known whether the coin was sent',
    todo: 'Look for the sequence id at BitGo. Resume looks it up before anything is sent.',
  },
  transfer_failed: {
    title: 'The network lost sight of the transfer',
    todo: 'It is followed on, and goes on by itself. Look at the transaction on the network.',
  },
  transfer_died: {
    title: 'The transfer ended without effect, more than once',
    todo: 'Make sure on the network that none of them can confirm. Then resume, or restore the voucher.',
  },
  transfer_unconfirmed: {
    title: 'Sent, but not confirmed for too long',
    todo: 'Look at the transaction on the network. Resume follows it on.',
  },
  step_stuck: {
    title: 'A step does not get on',
    todo: 'Open the workflow to see why, then resume.',
  },
}

/** What staff read about batches of vouchers. */
export const voucherBatches = {
  title: 'Voucher batches',
  fetchFailed: 'Failed to fetch batches',
  oneFailed: 'Failed to fetch the batch',
  empty: 'No batches',
  emptyHint: 'Vouchers that are generated together are one.',
  one: 'Voucher batch',
  named: (name: string) => `Batch ${name}`,
  vouchers: (n: number) => (n === 1 ? '1 voucher' : `${n} vouchers`),
  all: 'All',
  total: 'Batches',
  states: 'How its vouchers stand',
  state: 'State',
  number: 'Vouchers',
  worth: 'Worth',
  sum: 'Together',
  made: 'Made by',
  madeAt: 'Made',
  approved: 'Approved by',
  approvedAt: 'Approved',
  voided: 'Voided by',
  voidedAt: 'Voided',
  reason: 'Reason',
  asked: (who: string) => `${who} wants this batch voided. Another admin has to agree.`,
  list: 'Its vouchers',
  open: 'Open',
  openRow: (name: string) => `Open batch ${name}`,
  actions: {
    approve: 'Approve batch',
    void: 'Void batch',
    agree: 'Agree and void',
    refuse: 'Do not void',
  },
  dialogs: {
    approve: 'Every waiting voucher of the batch can be redeemed then.',
    void: 'Everything of it that nobody has redeemed is void then, and nothing more can be made in it. What was redeemed is paid as usual. This cannot be taken back. Above what one admin makes alone, another one has to agree.',
    agree:
      'Everything of it that nobody has redeemed is void then. What was redeemed is paid as usual. This cannot be taken back.',
    refuse: 'Nothing is voided. It can be asked for again.',
  },
  done: {
    approve: 'Batch approved',
    void: 'Batch voided',
    agree: 'Batch voided',
    refuse: 'The batch stays as it is',
  },
} as const

export const adminVoucherStatus: Record<AdminVoucher['status'], string> = {
  awaiting_approval: 'Awaiting approval',
  active: 'Active',
  redeemed: 'Redeemed',
  paid: 'Paid',
  voided: 'Voided',
  expired: 'Expired',
}
