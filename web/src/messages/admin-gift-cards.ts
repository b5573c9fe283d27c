import type { GiftCardCheck } from '@/api/types.gen'

const cards = (n: number) => (n === 1 ? '1 card' : `${n} cards`)

/** The back office's texts about gift cards. */
export const adminGiftCards = {
  title: 'Gift cards',
  fetchFailed: 'Failed to fetch gift cards',
  empty: 'No gift cards found',
  stats: {
    total: 'Total',
    waiting: 'Under review',
    approved: 'To realize',
    realised: 'Realized',
    value: 'Open value',
  },
  status: {
    received: 'Received',
    in_review: 'Under review',
    offered: 'Counter-offer',
    approved: 'Approved',
    realised: 'Realized',
    rejected: 'Rejected',
    declined: 'Offer declined',
    expired: 'Expired',
  },
  customer: 'Customer',
  value: 'Claimed value',
  payout: 'Offered payout',
  confirmed: 'Value found',
  paid: 'Credited',
  type: 'Type',
  sent: 'Submitted',
  due: 'Decide by',
  offerUntil: 'Customer answers by',
  decided: 'Decided',
  reason: 'Reason',
  realised: 'Proceeds',
  reference: 'Reference',
  card: 'Card details',
  sealed: 'Card details are hidden. Each reveal is recorded in the audit log under your name.',
  destroyed: 'These card details have been deleted.',
  revealFailed: 'Could not reveal the card details',
  code: 'Card number',
  pin: 'PIN',
  expiry: 'Expires',
  securityCode: 'Security code',
  picture: (n: number) => `Picture ${n}`,
  pictureOf: (n: number, of: number) => `Picture ${n} of ${of}`,
  pictureBefore: 'Previous picture',
  pictureAfter: 'Next picture',
  noPictures: 'The customer sent no pictures.',
  smaller: 'Zoom out',
  larger: 'Zoom in',
  picturesKey: 'Picture',
  zoomKeys: [
    { key: '+', label: 'Zoom in' },
    { key: '-', label: 'Zoom out' },
    { key: '0', label: 'Fit' },
    { key: 'ArrowLeft', label: 'Previous' },
    { key: 'ArrowRight', label: 'Next' },
  ],
  check: {
    form: () => 'Number, PIN or expiry and value have the right format',
    duplicate: (n, result) =>
      n === 0
        ? 'No duplicate'
        : result === 'fail'
          ? `Duplicate of a card that is paid or under review (${cards(n)})`
          : `Duplicate of an earlier card (${cards(n)})`,
    account: (_, result) =>
      result === 'pass' ? 'The account is in good standing' : 'The account is frozen or disabled',
    identity: (_, result) =>
      result === 'pass' ? 'The customer’s identity is verified' : 'The customer’s identity is not verified',
    age: (n) =>
      n === 0
        ? 'Account opened on the same day'
        : `Account ${n === 1 ? '1 day' : `${n} days`} old when the card was submitted`,
    refused_before: (n) => (n === 0 ? 'No other cards rejected' : `${cards(n)} rejected before`),
    paid_before: (n) => (n === 0 ? 'No other cards paid' : `${cards(n)} paid before`),
    pace: (n) => `${cards(n)} submitted within a day, including this one`,
    pictures: (n) => (n === 0 ? 'No pictures' : n === 1 ? '1 picture' : `${n} pictures`),
  } satisfies Record<GiftCardCheck['name'], (n: number, result: GiftCardCheck['result']) => string>,
  alike: 'Duplicates of this card',
  sameCustomer: 'the same customer',
  anotherCustomer: 'another customer',
  holds: 'A card is paid for once. You cannot approve this one while the other is under review or paid.',
  approve: 'Approve',
  approveTitle: 'Approve this gift card?',
  approveText: (reference: string, customer: string) =>
    `${reference} of ${customer}. The payout is based on the value you enter. It is credited at once, or offered if the value is less than the customer entered.`,
  found: 'Value found on the card (USD)',
  foundHint: (claim: string) =>
    `Reveal the card first and enter the value you found on it. The customer claims ${claim}.`,
  pays: (payout: string) => `The customer gets ${payout}.`,
  offers: (payout: string) =>
    `This is less than the customer entered. They are offered ${payout} and accept within 72 hours, or the offer is declined.`,
  approved: 'Gift card approved',
  offerMade: 'Counter-offer sent',
  reject: 'Reject',
  rejectTitle: 'Reject this gift card?',
  rejectText: (reference: string, customer: string) =>
    `${reference} of ${customer}. The card details are deleted at once, and the customer sees your reason.`,
  rejectOfferText: (reference: string, customer: string) =>
    `${reference} of ${customer}. The counter-offer ends and nothing is credited. The card details are deleted at once, and the customer sees your reason.`,
  rejectReason: 'Reason, for the customer',
  rejectPlaceholder: 'The card has no balance left.',
  rejected: 'Gift card rejected',
  realise: 'Record realization',
  realiseTitle: 'Record the proceeds of this card',
  realiseText: (reference: string, paid: string) =>
    `${reference}, for which we paid ${paid}. The card details are then deleted.`,
  amount: 'Proceeds (USD)',
  amountHint: (value: string) => `At most the value that was approved: ${value}.`,
  realisedDone: 'Realization recorded',
  saleReference: 'Sale reference',
  saleReferenceHint: 'Not needed if the proceeds are zero.',
  claim: 'Claim from customer',
  claimTitle: 'Claim this card from its customer?',
  claimText: (reference: string, customer: string) =>
    `${reference} of ${customer} was found used after we paid for it. The customer’s balance is debited, the rest is owed, and their payouts wait. Another person must approve it.`,
  claimAmount: 'Amount to claim (USD)',
  claimHint: (lost: string) =>
    `At most what we lost on the card: ${lost}, and what the buyer took back of the proceeds.`,
  takenBack: 'Reclaimed by the buyer (USD, optional)',
  claimReason: 'Reason, for the customer',
  claimPlaceholder: 'The card’s balance was spent before we could use it.',
  reverseClaim: 'Reverse claim',
  reverseTitle: 'Credit this claim again?',
  reverseText: (amount: string, customer: string) =>
    `${amount} is credited to ${customer}; what they owe us is paid first. Another person must approve it.`,
  paidAgain: 'Paid by the buyer since the claim (USD, optional)',
  reversePlaceholder: 'The buyer paid after all.',
  moneyReference: 'Bank reference (if money moved)',
  proposed: 'Proposed',
  proposedText: 'Another person must approve it.',
  waits: {
    claim_card: (by: string) => `${by} proposed to claim this card from its customer`,
    reverse_card_claim: (by: string) => `${by} proposed to reverse the claim`,
  },
  waitsText: 'Another person must approve it.',
  waitsLink: 'Open the approvals',
  claimed: 'Claimed',
  buyerTookBack: 'Reclaimed by the buyer',
  claimReversed: (amount: string) => `${amount}, reversed`,
  claimOwed: 'Owed at the claim',
  failed: 'Action failed',
  failedText: 'Please try again.',
} as const
