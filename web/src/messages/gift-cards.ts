import type { GiftCard, GiftCardEvent } from '@/api/types.gen'
import { usd } from '@/lib/format'

/** What customers read about selling gift cards; the literals are SPEC's. */
export const giftCards = {
  tradeTitle: 'Sell a gift card',
  tradeLead:
    'A person checks your card. What it pays goes to your balance; if we cannot take it, you read why, and nothing is taken off it.',
  brand: 'Brand',
  chooseBrand: 'Choose a brand',
  prepaidGroup: 'Prepaid cards',
  regularGroup: 'Gift cards',
  value: 'Value in USD',
  code: 'Card number',
  pin: 'PIN',
  expiry: 'Expiration date (MM/YY)',
  expiryExample: 'MM/YY',
  securityCode: 'Security code',
  images: 'Pictures of the card (optional)',
  imagesHint: (most: number) =>
    `JPEG or PNG, at most 8 MB each, up to ${most}. Front and back help us decide sooner.`,
  addImages: 'Add pictures',
  removeImage: (name: string) => `Remove ${name}`,
  wrongType: 'Only JPEG and PNG pictures can be uploaded.',
  tooLarge: 'This picture is larger than 8 MB.',
  tooMany: (most: number) => `At most ${most} pictures can be sent.`,
  rate: 'You get 85 % of the value',
  fee: 'Less our fee',
  payout: 'Payout',
  next: (days: number) =>
    `You are written to as soon as it is decided. If nobody has decided after ${days} days, the card expires here and nothing was taken off it.`,
  paysNothing: 'After our fee this value would pay nothing.',
  tooMuch: (most: string) => `We take cards of up to ${most}.`,
  submit: 'Submit for review',
  submitting: 'Submitting…',
  submitted: 'Gift card submitted for review',
  failed: 'Failed to submit gift card',
  required: 'Please fill in all required fields: ',
  missing: 'Please fill this in',
  fieldNames: {
    brand: 'Brand',
    value: 'Value',
    cardCode: 'Card Number',
    pin: 'PIN',
    expirationDate: 'Expiration Date',
    securityCode: 'Security Code',
  },
  catalogueFailed: 'The list of brands could not be loaded',
  safety:
    'Numbers and codes are encrypted, shown to a reviewer only, and destroyed once they are not needed.',
  mine: 'My gift cards',
  title: 'My Gift Cards',
  lead: 'What you have sent us, and what became of it.',
  fetchFailed: 'Failed to fetch gift cards',
  empty: 'No gift cards yet',
  emptyHint: 'Sell one on your dashboard: it takes a minute.',
  sell: 'Sell a gift card',
  open: 'Open',
  facts: 'Gift card',
  reference: 'Reference',
  type: 'Type',
  types: { regular: 'Gift card', prepaid: 'Prepaid card' },
  offered: 'Offered payout',
  confirmed: 'Value we found',
  credited: 'Credited',
  sent: 'Sent in',
  decided: 'Decided',
  until: 'Decided by',
  pictures: 'Your pictures',
  picture: (n: number) => `Picture ${n}`,
  story: 'What happened',
  balance: 'See your balance',
  rejectedTitle: 'We could not accept this card',
  rejectedHint: 'Nothing was taken off it by us. You can send it again once what was wrong is mended.',
  approvedTitle: 'Your card was approved',
  approvedText: (amount: string) => `${amount} is on your balance, ready to spend.`,
  reviewTitle: 'Your card is being reviewed',
  reviewText: 'We write to you as soon as it is decided. There is nothing you need to do.',
  expiredTitle: 'We did not review this card in time',
  expiredText: 'We are sorry. Nothing was taken off it, and you can send it again at any time.',
} as const

export const giftCardStatus: Record<GiftCard['status'], string> = {
  in_review: 'Under Review',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
}

const figure = (event: GiftCardEvent, name: string) =>
  usd(typeof event.data[name] === 'string' ? event.data[name] : undefined)

/** A sentence for each kind of event; the types say when one is missing. */
export const giftCardStory: Record<GiftCardEvent['kind'], (event: GiftCardEvent) => string> = {
  submitted: (event) => `Sent in for ${figure(event, 'value')}; it would pay ${figure(event, 'payout')}`,
  review_started: () => 'Checked automatically, and given to a reviewer',
  duplicate: (event) => `The same card was sent before, as ${String(event.data.of ?? 'another card')}`,
  review_late: () => 'Reviewers were reminded',
  approved: (event) => `Approved at ${figure(event, 'value')}; ${figure(event, 'paid')} credited`,
  rejected: () => 'Rejected',
  expired: () => 'Nobody decided in time',
  realisation_late: () => 'Finance was reminded',
  realised: (event) => `Realised: ${figure(event, 'amount')} came in`,
  revealed: () => 'A reviewer looked at what is printed on it',
  secrets_destroyed: () => 'What was printed on the card was destroyed',
}
