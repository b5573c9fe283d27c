import type { CustomerAttention } from '@/api/types.gen'

export type WaitingWord = CustomerAttention['reason']

interface Words {
  title: string
  /** What happened, in plain words. */
  happened: string
  /** What we do now, and what comes after it. */
  next: string
}

/** What an order waits for, as its customer reads it: one entry for each word the server can say. */
export const waitingTexts: Record<WaitingWord, Words> = {
  payment_page: {
    title: 'The payment page is not ready',
    happened: 'Our card processor could not give us a page to pay on.',
    next: 'Our team is fixing this. The button appears here when the page is ready. You can also cancel; nothing is charged.',
  },
  payment_check: {
    title: 'We are checking your card payment',
    happened: 'Your bank has not told us yet whether the charge went through.',
    next: 'We keep asking your bank. Do not pay again: you cannot be charged twice for this order.',
  },
  refund_check: {
    title: 'Your refund needs another way',
    happened: 'Your card’s bank did not take the refund.',
    next: 'We return the money another way and e-mail you. You don’t need to do anything.',
  },
  refund_on_its_way: {
    title: 'Your refund is on its way',
    happened: 'We asked the card processor to refund your card. It is still processing the refund.',
    next: 'We show here when it is done. You don’t need to do anything.',
  },
  refund_waits: {
    title: 'Your refund is waiting',
    happened: 'We can refund you once we know for certain whether the coin was sent.',
    next: 'Our team checks this. Then we refund you, or tell you that your coin was sent.',
  },
  identity: {
    title: 'Verify your identity again',
    happened: 'Your verification is not valid at the moment, and we only deliver to verified customers.',
    next: 'Complete the verification. Once it is approved, this order continues.',
  },
  account_frozen: {
    title: 'Your account is on hold',
    happened: 'Our team has put your account on hold, so this order waits.',
    next: 'Your price and amount stay as they are. The order continues when the hold ends. Please contact support.',
  },
  price_moved: {
    title: 'The price has moved',
    happened: 'Your coin now costs more than the price you locked.',
    next: 'Your price stays locked. We buy when the market returns to it.',
  },
  price_unavailable: {
    title: 'Waiting for a reliable price',
    happened: 'There is no reliable market price at the moment, so we do not buy yet.',
    next: 'We continue when prices are back. Your own price stays as it is.',
  },
  paused: {
    title: 'Your order is paused',
    happened: 'We have paused deliveries of this kind.',
    next: 'Your price and amount stay as they are, and your order continues when we resume. You don’t need to do anything.',
  },
  delivery_delayed: {
    title: 'Delivery is delayed',
    happened: 'We are refilling the wallet that your coin is sent from.',
    next: 'We send your coin when that is done. Your price and amount stay as they are.',
  },
  purchase_check: {
    title: 'We are checking the purchase of your coin',
    happened: 'The exchange has not confirmed yet whether your coin was bought.',
    next: 'We check this before we try again, so that nothing is bought or charged twice.',
  },
  transfer_check: {
    title: 'We are checking the transfer',
    happened: 'Our custody provider has not confirmed yet whether your coin was sent.',
    next: 'We check this before we send again, so that nothing is lost or sent twice.',
  },
  transfer_approval: {
    title: 'The transfer waits for approval',
    happened: 'Your coin is ready. A second person approves this transfer before it is sent.',
    next: 'It is sent as soon as it is approved. You don’t need to do anything.',
  },
  address_refused: {
    title: 'The destination address was not accepted',
    happened: 'We could not send your coin to the address of this order. The coin is bought and is safe.',
    next: 'Enter another address of yours below. We send your coin there.',
  },
  transfer_replaced: {
    title: 'The transfer did not stay on the network',
    happened: 'The network dropped or replaced the transaction that carried your coin.',
    next: 'Our team makes sure that it can no longer arrive. Then we send again or refund you.',
  },
  unconfirmed: {
    title: 'The network is slow to confirm',
    happened: 'Your coin was sent, but the network has not confirmed it for longer than usual.',
    next: 'We watch it until it is confirmed. The transaction stays valid.',
  },
  money_short: {
    title: 'Part of your payment is missing',
    happened: 'Less money arrived than this order costs.',
    next: 'Send the rest with the same reference, or choose below.',
  },
  money_over: {
    title: 'You sent more than this order costs',
    happened: 'More money arrived than this order costs.',
    next: 'Tell us what to do with it.',
  },
  money_late: {
    title: 'Your payment arrived after the price expired',
    happened: 'The money arrived when the price of this order was no longer valid.',
    next: 'Choose today’s price or a refund.',
  },
  disputed: {
    title: 'This payment is disputed',
    happened: 'The cardholder’s bank told us that this payment is disputed.',
    next: 'The order waits until the bank decides. If you did not dispute it, or it was a mistake, get help below.',
  },
  refunded_elsewhere: {
    title: 'Your payment may have been returned',
    happened:
      'Your card processor or bank may have returned your payment before this order was delivered. We are checking this.',
    next: 'Our team then closes the order or agrees with you how to continue.',
  },
  being_reviewed: {
    title: 'We are reviewing this order',
    happened: 'This order needs a decision by our team.',
    next: 'We show the result here. You don’t need to do anything.',
  },
}

export const situations = {
  happened: 'What happened',
  money: 'Your money',
  next: 'What happens next',
  since: (time: string) => `since ${time}`,
  identityLink: 'Go to verification',
  balanceLink: 'See my balance',
  /** Where the money is. */
  place: {
    nothing: 'Nothing has been taken from you.',
    awaited: 'Your payment has not arrived yet.',
    authorised: (amount: string, card: string) => `${amount} is held on ${card} and has not been charged.`,
    charged: (amount: string, card: string) =>
      `${amount} was charged to ${card}. We keep it for this order only.`,
    arrived: (amount: string) => `${amount} arrived. We keep it for this order only.`,
    fromBalance: (amount: string) => `${amount} was taken from your balance. We keep it for this order only.`,
    apart: (amount: string) => `${amount} arrived and is held safely until you choose.`,
    coin: (amount: string) => `Your payment bought ${amount}. It is yours and is ready to be sent.`,
    sent: (amount: string) => `Your payment bought ${amount}, which was sent to your wallet.`,
    released: 'The hold on your card was released. Your bank may show it for a few more days.',
    partBack: (amount: string, to: string) => `${amount} of it was given back to ${to}.`,
    backToCard: (amount: string, card: string) =>
      `${amount} is on its way back to ${card}. Banks show it within 5 to 10 working days.`,
    backToBalance: (amount: string) => `${amount} is in your account balance.`,
    toCard: (card: string) => card,
    yourCard: 'your card',
    yourBalance: 'your account balance',
  },
  ends: {
    declined: {
      title: 'This order was declined',
      happened: 'We could not accept the payment.',
      next: 'The order is closed. You can place a new one, or ask us why.',
    },
    cancelled: {
      title: 'This order was cancelled',
      happened: 'You cancelled it before it was paid.',
      next: 'The order is closed. You can place a new one at today’s price.',
    },
    expired: {
      title: 'This order has expired',
      happened: 'It was not paid in time.',
      next: 'The order is closed. If your money still arrives, you choose here what happens with it.',
    },
    lapsed: {
      title: 'This order has expired',
      happened: 'The hold on your card ran out before we had accepted the order.',
      next: 'The order is closed and your card was not charged. You can place a new one at today’s price.',
    },
    refunded: {
      title: 'This order was refunded',
      happened: 'The coin was not delivered, and your money was given back.',
      next: 'The order is closed. You can place a new one at today’s price.',
    },
  },
  failed: {
    title: 'This order did not complete',
    happened: 'Something went wrong while fulfilling your order.',
    next: 'Our team is checking this. You are not charged again.',
    /** With a choice to make, and for a transfer that a person must look for on the network first. */
    choose: 'Choose below how it continues. You are not charged again.',
    network: 'Our team makes sure that the transfer can no longer arrive. Then we send again or refund you.',
  },
  held: {
    title: 'Our team put this order on hold',
    happened: 'We are checking this order before it is delivered.',
    next: 'Then it continues, or we refund you. We show the result here.',
  },
  kept: {
    title: 'We keep trying',
    happened: 'You asked us to keep trying. We try again every few minutes.',
    next: (time: string) =>
      `If it has not worked by ${time}, we ask you again. You can ask for a refund at any time.`,
  },
  refunding: {
    title: 'Your refund is on its way',
    happened: 'The refund was requested and is being processed.',
    next: 'This page says when it is done. Banks show a refund within 5 to 10 working days.',
  },
  dispute: {
    lost: {
      title: 'The dispute was decided for the cardholder',
      happened: 'The bank gave the disputed payment back to the cardholder.',
      next: 'The order is closed. Get help below if you think this is a mistake.',
    },
    won: {
      title: 'The dispute is over',
      happened: 'The bank decided that the payment was right.',
      next: 'You don’t need to do anything.',
    },
  },
} as const

export const amendTexts = {
  title: 'Enter another address',
  lead: (coin: string, network: string) =>
    `We send ${coin} there on the ${network}. The address must be your own.`,
  label: 'New address',
  submit: 'Send to this address',
  sending: 'Saving…',
  confirmTitle: 'Send your coin to this address?',
  confirmText: (coin: string, network: string) =>
    `${coin} on the ${network}. A transfer cannot be taken back: check the whole address.`,
  confirm: 'Send to this address',
  done: 'Address changed',
  doneText: 'Your coin goes to the new address.',
  failed: 'The address was not changed',
  failedText: 'Please try again.',
} as const

export const choiceTexts = {
  title: 'What would you like us to do?',
  due: (time: string, left: string) => `Choose by ${time} (${left} left).`,
  overdue: 'The time to choose has passed.',
  fallback: (amount: string, to: string) => `If you do not choose, we refund ${amount} to ${to}.`,
  working: 'Working on it…',
  failed: 'That did not work',
  failedText: 'Your choice was not saved. Please try again.',
  keep_trying: {
    title: 'Keep trying',
    text: 'We try again now and then every few minutes, for up to a day. You can still ask for a refund at any time.',
    button: 'Keep trying',
    done: 'We keep trying',
    doneText: 'You can ask for a refund at any time.',
  },
  refund_now: {
    title: 'Refund now',
    text: (amount: string, to: string) => `${amount} goes back to ${to}, and the order ends.`,
    button: 'Refund now',
    confirmTitle: 'Refund this order?',
    confirmText: (amount: string, to: string) =>
      `${amount} goes back to ${to}. The order ends and no coin is delivered.`,
    confirm: (amount: string) => `Refund ${amount}`,
    when: {
      card: 'Banks show a refund within 5 to 10 working days.',
      balance: 'The money is in your balance at once.',
    },
    done: 'Refund started',
    doneText: 'This page says when it is done.',
  },
  requote: {
    title: 'Take today’s price',
    text: (amount: string) => `See how much coin ${amount} buys now before you decide.`,
    button: 'See today’s price',
    confirmTitle: 'Today’s price for your money',
    confirmText: (reference: string) =>
      `Order ${reference} continues with the new amount once you accept it.`,
    ordered: 'As ordered',
    now: 'Now',
    amount: 'You get',
    unitPrice: (asset: string) => `Price of 1 ${asset}`,
    total: 'You pay',
    credit: 'Left over, to your balance',
    fees: 'Fees',
    confirm: (amount: string) => `Accept ${amount}`,
    moved: 'The price changed while you were looking. This is the new one.',
    ranOut: 'This price has expired.',
    loading: 'Calculating price...',
    failedTitle: 'There is no price right now',
    done: 'New price accepted',
    doneText: 'Your order continues.',
  },
  keep_order: {
    title: 'Keep the order as it is',
    text: (coin: string, rest: string) =>
      `You get exactly ${coin}, and ${rest} goes to your account balance.`,
    button: 'Keep as ordered',
    confirmTitle: 'Keep the order as it is?',
    confirmText: (coin: string, rest: string) =>
      `You get ${coin} as ordered. ${rest} goes to your account balance at once.`,
    confirm: 'Keep as ordered',
    done: 'Order kept',
    doneText: 'The rest is in your balance.',
  },
  back: 'Go back',
} as const

export const moneyTexts = {
  title: 'Payments and refunds',
  expected: 'Expected',
  arrived: 'Arrived',
  missing: 'Missing',
  surplus: 'Overpaid by',
  receipt: 'Money received',
  refund: {
    requested: 'Refund in progress',
    pending: 'Refund in progress',
    succeeded: 'Refunded',
    failed: 'Refund not accepted',
  } as Record<string, string>,
  onDay: (day: string) => `on ${day}`,
  toCard: (card: string) => `to ${card}`,
  toBalance: 'to your account balance',
  kept: 'Refunded in total',
} as const
