import type { GiftCardCheck } from '@/api/types.gen'

const cards = (n: number) => (n === 1 ? '1 card' : `${n} cards`)

/** The back office's words about gift cards. */
export const adminGiftCards = {
  title: 'Gift Cards',
  fetchFailed: 'Failed to fetch gift cards',
  empty: 'No gift cards found',
  stats: {
    total: 'Total',
    waiting: 'Under review',
    approved: 'To be realised',
    realised: 'Realised',
    value: 'Value waiting',
  },
  status: {
    received: 'Received',
    in_review: 'Under review',
    approved: 'Approved',
    realised: 'Realised',
    rejected: 'Rejected',
    expired: 'Expired',
  },
  customer: 'Customer',
  value: 'Claimed value',
  payout: 'Offered payout',
  confirmed: 'Value found',
  paid: 'Credited',
  type: 'Type',
  sent: 'Sent in',
  due: 'Decide by',
  decided: 'Decided',
  reason: 'Reason given',
  realised: 'Came in',
  reference: 'Reference',
  card: 'The card',
  sealed: 'What is printed on the card is sealed. Each reveal is kept in the audit log under your name.',
  destroyed: 'What was printed on this card has been destroyed.',
  revealFailed: 'The card could not be revealed',
  code: 'Card number',
  pin: 'PIN',
  expiry: 'Expires',
  securityCode: 'Security code',
  picture: (n: number) => `Picture ${n}`,
  pictureOf: (n: number, of: number) => `Picture ${n} of ${of}`,
  pictureBefore: 'Picture before',
  pictureAfter: 'Picture after',
  noPictures: 'Its customer sent no pictures.',
  smaller: 'Zoom out',
  larger: 'Zoom in',
  picturesKey: 'Picture',
  zoomKeys: [
    { key: '+', label: 'Larger' },
    { key: '-', label: 'Smaller' },
    { key: '0', label: 'Whole' },
    { key: 'ArrowLeft', label: 'Before' },
    { key: 'ArrowRight', label: 'After' },
  ],
  check: {
    form: () => 'Number, PIN or expiry and value had the right form',
    duplicate: (n, result) =>
      n === 0
        ? 'The same card was not sent before'
        : result === 'fail'
          ? `The same card was sent before, and is paid or to be decided first (${cards(n)})`
          : `The same card was sent before (${cards(n)})`,
    account: (_, result) =>
      result === 'pass' ? 'The account is in good standing' : 'The account is frozen or disabled',
    identity: (_, result) =>
      result === 'pass' ? 'The customer’s identity is verified' : 'The customer’s identity is not verified',
    age: (n) =>
      n === 0
        ? 'The account was opened on the same day'
        : `The account was ${n === 1 ? '1 day' : `${n} days`} old when it was sent`,
    refused_before: (n) =>
      n === 0 ? 'No other card of theirs was rejected' : `${cards(n)} of theirs rejected before`,
    paid_before: (n) =>
      n === 0 ? 'No other card of theirs was paid yet' : `${cards(n)} of theirs paid before`,
    pace: (n) => `${cards(n)} sent within the day, this one included`,
    pictures: (n) =>
      n === 0 ? 'No pictures were sent' : n === 1 ? '1 picture was sent' : `${n} pictures were sent`,
  } satisfies Record<GiftCardCheck['name'], (n: number, result: GiftCardCheck['result']) => string>,
  alike: 'The same card was sent before',
  sameCustomer: 'the same customer',
  anotherCustomer: 'another customer',
  holds: 'A card is paid for once: this one cannot be approved while the other is undecided or paid.',
  approve: 'Approve',
  approveTitle: 'Approve this gift card?',
  approveText: (reference: string, customer: string) =>
    `${reference} of ${customer}. What it pays is worked out from the value you found, and credited at once.`,
  found: 'Value found on the card (USD)',
  pays: (payout: string) => `The customer gets ${payout}.`,
  approved: 'Gift card approved',
  reject: 'Reject',
  rejectTitle: 'Reject this gift card?',
  rejectText: (reference: string, customer: string) =>
    `${reference} of ${customer}. What is printed on it is destroyed at once, and the customer reads your reason.`,
  rejectReason: 'Reason, for the customer',
  rejectPlaceholder: 'The card has no balance left.',
  rejected: 'Gift card rejected',
  realise: 'Record realisation',
  realiseTitle: 'Record what this card brought in',
  realiseText: (reference: string, paid: string) =>
    `${reference}, for which ${paid} was paid. What is printed on it is destroyed afterwards.`,
  amount: 'Amount that came in (USD)',
  realisedDone: 'Realisation recorded',
  saleReference: 'Reference of the sale',
  failed: 'This could not be done',
  failedText: 'Please try again.',
} as const
