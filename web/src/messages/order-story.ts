import type { OrderEvent } from '@/api/types.gen'

export type EventKind = OrderEvent['kind']
/** The figures of an event; each may be missing. */
export type EventData = Record<string, string | undefined>

type Sentence = string | ((data: EventData) => string)

const to = (destination: string | undefined) =>
  destination === 'card' ? ' to your card' : destination === 'balance' ? ' to your account balance' : ''

/**
 * The text of each event of an order's timeline: one entry a kind, as the server lists them. Another language
 * is another object of this type; amounts and times arrive formatted.
 */
export const eventTexts: Record<EventKind, Sentence> = {
  created: 'Order created',
  confirmation_requested: 'Amount reserved; link to confirm sent by e-mail',
  checkout_ready: 'Payment page ready',
  card_declined: 'Card declined; nothing was charged',
  payment_submitted: 'Proof of payment received',
  authorised: 'Payment authorized',
  authorisation_expiring: ({ at }) =>
    at ? `The hold on the card ends ${at}` : 'The hold on the card ends soon',
  money_received: ({ amount, expected }) =>
    amount && expected ? `${amount} arrived of ${expected}` : amount ? `${amount} arrived` : 'Money arrived',
  money_short: ({ received, expected }) =>
    received && expected
      ? `${received} of ${expected} has arrived; the rest is missing`
      : 'Less arrived than the order costs',
  money_over: ({ received, expected }) =>
    received && expected
      ? `${received} arrived, more than the ${expected} of the order`
      : 'More arrived than the order costs',
  money_late: ({ received }) =>
    received
      ? `${received} arrived after the order had ended`
      : 'Your payment arrived after the order had ended',
  money_credited: ({ amount }) =>
    amount
      ? `${amount} more arrived and was credited to your balance`
      : 'More money arrived and was credited to your balance',
  surplus_held: ({ amount }) =>
    amount ? `${amount} more than the price arrived and is held for you` : 'More than the price arrived',
  surplus_credited: ({ amount }) =>
    amount ? `The ${amount} left over was credited to your balance` : 'The rest was credited to your balance',
  surplus_returning: ({ amount }) =>
    amount ? `The ${amount} left over goes back to its sender` : 'The rest goes back to its sender',
  surplus_returned: ({ amount }) =>
    amount ? `The ${amount} left over was sent back to its sender` : 'The rest was sent back to its sender',
  receipt_reversed: ({ amount }) =>
    amount
      ? `A payment of ${amount} was not for this order and was removed`
      : 'A payment was removed from this order',
  money_returned: ({ amount }) =>
    amount ? `The bank reversed the payment of ${amount}` : 'The bank reversed the payment',
  return_reinstated: ({ amount }) =>
    amount ? `The bank reinstated the payment of ${amount}` : 'The bank reinstated the payment',
  requoted: ({ amountAsset, asset, total }) =>
    amountAsset && total
      ? `New price accepted: ${[amountAsset, asset].filter(Boolean).join(' ')} for ${total}`
      : 'New price accepted',
  capture_requested: 'Accepted by our team',
  captured: 'Payment charged',
  receipt_confirmed: 'Payment received',
  paid_from_balance: ({ amount }) =>
    amount ? `${amount} deducted from your balance` : 'Paid from your balance',
  under_review: 'Under review',
  review_released: 'Released by compliance',
  held: 'Put on hold by our team',
  resumed: 'Resumed',
  fulfil_requested: 'Delivery started',
  reserved: 'Crypto reserved',
  price_waiting: 'The price has risen; waiting for it to fall',
  exchange_placed: 'Order placed on the exchange',
  exchange_part_filled: 'Bought in part; the rest follows',
  filled: 'Bought on the exchange',
  transfer_requested: 'Transfer prepared',
  transfer_awaiting_approval: 'Transfer waiting for approval',
  transfer_dead: 'Transfer declared dead',
  transfer_revived: 'Dead transfer confirmed',
  address_held: 'You entered another address; waiting for your confirmation',
  address_unconfirmed: 'The other address was not confirmed in time',
  address_amended: ({ by }) =>
    by === 'customer' ? 'You changed the destination address' : 'Destination address changed by our team',
  sent: 'Sent to your wallet',
  confirmed: 'Confirmed on the network',
  bonus_credited: ({ amount }) =>
    amount ? `Bonus of ${amount} credited to your balance` : 'Bonus credited to your balance',
  bonus_taken_back: ({ amount }) => (amount ? `Bonus of ${amount} deducted` : 'Bonus deducted'),
  attempt_failed: ({ attempt }) => (attempt ? `Attempt ${attempt} failed` : 'One attempt failed'),
  failed: 'This step failed',
  attention: 'Waiting for our team',
  attention_cleared: 'Order continued',
  retry_requested: 'Another attempt requested',
  choice_offered: ({ dueAt }) =>
    dueAt
      ? `Choice offered: keep trying or a refund, until ${dueAt}`
      : 'Choice offered: keep trying or a refund',
  keep_trying: 'You asked us to keep trying',
  coin_offered: ({ amount, before, delivers }) =>
    amount && before && delivers
      ? `Offered: a refund of ${amount}, and ${delivers} instead of ${before}`
      : 'A refund with less crypto was offered',
  coin_reduced: ({ amount, before, delivers }) =>
    amount && before && delivers
      ? `Agreed: ${delivers} instead of ${before}, and a refund of ${amount}`
      : 'Less crypto agreed to',
  coin_restored: ({ before }) =>
    before
      ? `The refund wasn’t made; ${before} will be sent`
      : 'The refund wasn’t made; all the crypto will be sent',
  coin_offer_ended: 'The offer of less crypto ended; the order stays as it is',
  refund_requested: 'Refund started',
  refunded_in_part: ({ amount, to: where, delivers, agreed }) =>
    (amount ? `${amount} refunded${to(where)}` : `Payment refunded in part${to(where)}`) +
    (delivers ? `; ${agreed ? '' : 'all '}${delivers} will ${agreed ? '' : 'still '}be sent` : ''),
  refunded: ({ amount, to: where }) =>
    amount ? `${amount} refunded${to(where)}` : `Payment refunded${to(where)}`,
  refunded_at_provider: ({ amount }) =>
    amount ? `${amount} refunded by the card processor` : 'Payment refunded by the card processor',
  proposed: ({ amount }) => (amount ? `${amount}: needs second approval` : 'Needs second approval'),
  proposal_decided: ({ amount, outcome }) =>
    [amount, `Proposal ${outcome ?? 'decided'}`].filter(Boolean).join(': '),
  dispute_opened: ({ amount }) =>
    amount
      ? `The payment of ${amount} was disputed at the card’s bank`
      : 'The payment was disputed at the card’s bank',
  dispute_answered: 'We answered the card’s bank',
  dispute_won: 'The card’s bank decided the dispute for us',
  dispute_lost: 'The card’s bank decided the dispute for the cardholder',
  declined: 'Declined; nothing was charged',
  cancelled: 'Cancelled; nothing was charged',
  expired: 'Expired; nothing was charged',
}
