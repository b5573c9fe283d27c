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
    next: 'Our team is on it, and the button appears here when it is ready. You can also cancel; nothing is charged.',
  },
  payment_check: {
    title: 'We are checking your card payment',
    happened: 'Your bank has not told us yet whether the charge went through.',
    next: 'We ask until we know. Please do not pay again: you cannot be charged twice for this order.',
  },
  refund_check: {
    title: 'Your refund needs another way',
    happened: 'Your card’s bank did not take the refund.',
    next: 'Our team returns the money another way and tells you here. You need not do anything.',
  },
  refund_waits: {
    title: 'Your refund waits for an answer',
    happened: 'We may give the money back only once it is certain what became of the coin.',
    next: 'Our team finds that out and then gives your money back, or tells you that your coin was sent.',
  },
  identity: {
    title: 'Your identity check needs a new look',
    happened: 'Your verification is not valid at the moment, and we may deliver to verified customers only.',
    next: 'Look at your verification; once it is approved again, our team goes on with this order.',
  },
  account_frozen: {
    title: 'Your account is frozen',
    happened: 'Our team has frozen your account for the moment, so this order waits.',
    next: 'Your price and amount stay as they are, and the order goes on by itself once the account is open again. Please contact support.',
  },
  price_moved: {
    title: 'The price has moved',
    happened: 'Buying your coin now costs more than the price you were promised allows.',
    next: 'Your price stays promised. We buy as soon as the market comes back to it.',
  },
  price_unavailable: {
    title: 'Waiting for a reliable price',
    happened: 'The market gives no reliable price at the moment, so we do not buy yet.',
    next: 'We go on when prices are back. Your own price stays as it is.',
  },
  paused: {
    title: 'Your order is paused',
    happened: 'We have stopped deliveries of this kind for the moment, yours among them.',
    next: 'Your price and amount stay as they are, and your order goes on by itself when we resume. You need not do anything.',
  },
  delivery_delayed: {
    title: 'Delivery is delayed',
    happened: 'The wallet your coin is sent from is being filled up.',
    next: 'Our team sends your coin when it is there. Your price and amount stay as they are.',
  },
  purchase_check: {
    title: 'We are checking the purchase of your coin',
    happened: 'The exchange has not said yet whether your coin was bought.',
    next: 'We find out before anything is tried again, so that nothing is bought or charged twice.',
  },
  transfer_check: {
    title: 'We are checking the transfer',
    happened: 'Custody has not said yet whether your coin was sent.',
    next: 'We find out before anything is sent again, so that nothing is lost or sent twice.',
  },
  transfer_approval: {
    title: 'The transfer waits for approval',
    happened: 'Your coin is ready. A second person at custody looks at this transfer before it leaves.',
    next: 'It is sent as soon as it is approved. You need not do anything.',
  },
  address_refused: {
    title: 'The destination address was not accepted',
    happened: 'Custody cannot send to the address of this order.',
    next: 'Get help below and name another address of yours; our team changes it, or gives your money back.',
  },
  transfer_replaced: {
    title: 'The transfer did not stay on the network',
    happened: 'The network dropped or replaced the transaction that carried your coin.',
    next: 'Our team makes sure that it cannot arrive any more, and then sends again or gives your money back.',
  },
  unconfirmed: {
    title: 'The network is slow to confirm',
    happened: 'Your coin was sent, but the network has not confirmed it for longer than usual.',
    next: 'Our team watches it until it is confirmed. The transaction stays valid meanwhile.',
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
    title: 'Your payment came after the price had run out',
    happened: 'The money arrived when the price of this order was not promised any more.',
    next: 'Choose today’s price or your money back.',
  },
  disputed: {
    title: 'This payment is disputed',
    happened: 'The cardholder’s bank told us that this payment is disputed.',
    next: 'The order waits until the bank has decided. If it was not you, or a mistake, get help below.',
  },
  refunded_elsewhere: {
    title: 'Your payment went back to your card',
    happened: 'The card processor returned your payment before this order was delivered.',
    next: 'Our team closes the order or agrees with you how to go on.',
  },
  being_reviewed: {
    title: 'A person is looking at this order',
    happened: 'Something about this order needs a decision by our team.',
    next: 'We write here what happens next. You need not do anything.',
  },
}

export const situations = {
  happened: 'What happened',
  money: 'Your money',
  next: 'What happens next',
  since: (time: string) => `since ${time}`,
  identityLink: 'Look at my verification',
  balanceLink: 'See my balance',
  /** Where the money is. */
  place: {
    nothing: 'Nothing has been taken from you.',
    awaited: 'Your transfer has not arrived yet; nothing has been booked.',
    authorised: (amount: string, card: string) => `${amount} is held on ${card} and has not been charged.`,
    charged: (amount: string, card: string) =>
      `${amount} was charged to ${card}. We keep it for this order only.`,
    arrived: (amount: string) => `${amount} arrived. We keep it for this order only.`,
    fromBalance: (amount: string) => `${amount} was taken from your balance. We keep it for this order only.`,
    apart: (amount: string) => `${amount} arrived and lies apart for you, untouched, until you choose.`,
    coin: (amount: string) => `Your payment has bought ${amount}, which is yours and waits to be sent.`,
    sent: (amount: string) => `Your payment bought ${amount}, which left for your wallet.`,
    released: 'The hold on your card was released. Your bank may show it for a few days more.',
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
      next: 'The order is closed. Should your money still arrive, you choose here what happens with it.',
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
    next: 'Our team has been told and looks at it. Nothing more is taken from you.',
    /** With a choice to make, and for a transfer that a person must look for on the network first. */
    choose: 'You decide below how it goes on. Nothing more is taken from you.',
    network:
      'Our team makes sure that the transfer can never arrive any more. Then it is sent again, or your money comes back.',
  },
  held: {
    title: 'Our team put this order on hold',
    happened: 'Something about this order is looked at before it is delivered.',
    next: 'It goes on, or your money comes back, as soon as that is done. We write it here.',
  },
  kept: {
    title: 'We keep trying',
    happened: 'You asked us to go on. We try again every few minutes by ourselves.',
    next: (time: string) =>
      `If it has not worked by ${time}, we ask you again. You can have your money back at any time.`,
  },
  refunding: {
    title: 'Your refund is on its way',
    happened: 'The refund was asked for and is being carried out.',
    next: 'This page says when it is done. Banks show a refund within 5 to 10 working days.',
  },
  dispute: {
    lost: {
      title: 'The dispute was decided for the cardholder',
      happened: 'The bank gave the disputed payment back to the cardholder.',
      next: 'Nothing more happens by itself. Get help below if you think this is a mistake.',
    },
    won: {
      title: 'The dispute is over',
      happened: 'The bank decided that the payment was right.',
      next: 'Nothing more is to be done.',
    },
  },
} as const

export const choiceTexts = {
  title: 'What would you like us to do?',
  due: (time: string, left: string) => `Choose by ${time} (${left} left).`,
  overdue: 'The time to choose has passed.',
  fallback: (amount: string, to: string) => `If you do not choose, we give ${amount} back to ${to}.`,
  working: 'Working on it…',
  failed: 'That did not work',
  failedText: 'Your choice could not be carried out. Please try again.',
  keep_trying: {
    title: 'Keep trying',
    text: 'We try again now and then every few minutes, for up to a day. You can still have your money back at any time.',
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
      balance: 'The money is there at once.',
    },
    done: 'Refund started',
    doneText: 'This page says when it is done.',
  },
  requote: {
    title: 'Take today’s price',
    text: (amount: string) => `See how much coin ${amount} buys now before you decide.`,
    button: 'See today’s price',
    confirmTitle: 'Today’s price for your money',
    confirmText: (reference: string) => `Order ${reference} goes on with the new amount once you accept it.`,
    ordered: 'As ordered',
    now: 'Now',
    amount: 'You get',
    unitPrice: (asset: string) => `Price of 1 ${asset}`,
    total: 'It costs',
    credit: 'Left over, to your balance',
    fees: 'Fees',
    confirm: (amount: string) => `Accept ${amount}`,
    moved: 'The price changed while you were looking. This is the new one.',
    ranOut: 'This price has run out.',
    loading: 'Calculating price...',
    failedTitle: 'There is no price right now',
    done: 'New price accepted',
    doneText: 'Your order goes on.',
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
  back: 'Not yet',
} as const

export const moneyTexts = {
  title: 'Payments and refunds',
  expected: 'Expected',
  arrived: 'Arrived',
  missing: 'Missing',
  surplus: 'Too much',
  receipt: 'Money received',
  refund: {
    requested: 'Refund under way',
    pending: 'Refund under way',
    succeeded: 'Refunded',
    failed: 'Refund not accepted',
  } as Record<string, string>,
  onDay: (day: string) => `on ${day}`,
  toCard: (card: string) => `to ${card}`,
  toBalance: 'to your account balance',
  kept: 'Given back in all',
} as const
