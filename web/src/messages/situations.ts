import type { CustomerAttention } from '@/api/types.gen'

export type WaitingWord = CustomerAttention['reason']

interface Words {
  title: string
  /** What happened, as text. */
  happened: string
  /** What we do now, and what comes after it. */
  next: string
}

/** What an order waits for, as its customer reads it: one entry for each code of the server. */
export const waitingTexts: Record<WaitingWord, Words> = {
  payment_page: {
    title: 'The payment page isn’t ready',
    happened: 'Our card processor didn’t provide a payment page.',
    next: 'Our team is fixing this. The button appears here when the page is ready. You can also cancel. Nothing is charged.',
  },
  payment_check: {
    title: 'We’re checking your card payment',
    happened: 'Your bank hasn’t confirmed the charge yet.',
    next: 'We keep checking with your bank. Don’t pay again. You can’t be charged twice for this order.',
  },
  refund_check: {
    title: 'We’ll refund you another way',
    happened: 'Your card’s bank didn’t accept the refund.',
    next: 'We’ll e-mail you when we’ve returned the money. You don’t need to do anything.',
  },
  refund_on_its_way: {
    title: 'Your refund is on its way',
    happened: 'We asked the card processor to refund your card. It’s still processing the refund.',
    next: 'This page shows when it’s done. You don’t need to do anything.',
  },
  refund_waits: {
    title: 'Your refund is delayed',
    happened: 'We can refund you once we know whether your crypto was sent.',
    next: 'Our team checks this. Then we refund you, or tell you that your crypto was sent.',
  },
  identity: {
    title: 'Verify your identity again',
    happened: 'Your verification isn’t valid right now. We only deliver to verified customers.',
    next: 'Complete the verification. Once it’s approved, this order continues.',
  },
  account_frozen: {
    title: 'Your account is on hold',
    happened: 'Our team has put your account on hold, so this order is paused.',
    next: 'Your price and amount don’t change. The order continues when the hold ends. Contact support.',
  },
  price_moved: {
    title: 'The price has risen',
    happened: 'Your crypto now costs more than the price you locked.',
    next: 'Your price stays locked. We buy when the market returns to it.',
  },
  price_unavailable: {
    title: 'Waiting for a reliable price',
    happened: 'There is no reliable market price right now, so we haven’t bought yet.',
    next: 'We continue when prices are back. Your price stays locked.',
  },
  paused: {
    title: 'Your order is paused',
    happened: 'We paused deliveries of this kind.',
    next: 'Your price and amount don’t change. Your order continues when we resume. You don’t need to do anything.',
  },
  delivery_delayed: {
    title: 'Delivery is delayed',
    happened: 'We’re refilling the wallet we send your crypto from.',
    next: 'We send your crypto when that’s done. Your price and amount don’t change.',
  },
  purchase_check: {
    title: 'We’re checking the purchase of your crypto',
    happened: 'The exchange hasn’t confirmed yet whether your crypto was bought.',
    next: 'We check this before we try again, so nothing is bought or charged twice.',
  },
  transfer_check: {
    title: 'We’re checking the transfer',
    happened: 'Our custody provider hasn’t confirmed yet whether your crypto was sent.',
    next: 'We check this before we send again, so nothing is lost or sent twice.',
  },
  transfer_approval: {
    title: 'The transfer needs approval',
    happened: 'Your crypto is ready. A second person must approve this transfer.',
    next: 'We send it as soon as it’s approved. You don’t need to do anything.',
  },
  address_refused: {
    title: 'The destination address was not accepted',
    happened: 'We couldn’t send your crypto to the address of this order. Your crypto is bought and safe.',
    next: 'Enter another address of yours below. We’ll send your crypto there. There is no deadline. To get your money back instead, ask us with “Get help” below.',
  },
  transfer_replaced: {
    title: 'The network dropped the transfer',
    happened: 'The network dropped or replaced the transaction with your crypto.',
    next: 'Our team makes sure that it can no longer arrive. Then we send again or refund you.',
  },
  unconfirmed: {
    title: 'The network is slow to confirm',
    happened: 'We sent your crypto, but the network is taking longer than usual to confirm it.',
    next: 'We watch it until it’s confirmed. The transaction stays valid.',
  },
  money_short: {
    title: 'Part of your payment is missing',
    happened: 'Less money arrived than this order costs.',
    next: 'Send the rest with the same reference, or choose below.',
  },
  money_over: {
    title: 'You sent more than this order costs',
    happened: 'More money arrived than this order costs.',
    next: 'Choose below what happens to the rest.',
  },
  money_late: {
    title: 'Your payment arrived too late',
    happened: 'This order was already closed when your money arrived.',
    next: 'Choose today’s price or a refund.',
  },
  disputed: {
    title: 'This payment is disputed',
    happened: 'The cardholder’s bank told us that this payment is disputed.',
    next: 'The order is paused until the bank decides. If you didn’t dispute it, or it was a mistake, get help below.',
  },
  refunded_elsewhere: {
    title: 'Your payment may have been returned',
    happened:
      'Your card processor or bank may have returned your payment before this order was delivered. We’re checking this.',
    next: 'We then close the order or contact you about how to continue.',
  },
  being_reviewed: {
    title: 'We’re reviewing this order',
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
  addressHeld: 'Open the link in our e-mail to confirm the new address. Then we send your crypto there.',
  /** Where the money is. */
  place: {
    nothing: 'You haven’t been charged.',
    awaited: 'Your payment has not arrived yet.',
    authorised: (amount: string, card: string) => `${amount} is held on ${card} and hasn’t been charged.`,
    charged: (amount: string, card: string) =>
      `${amount} was charged to ${card}. We keep it for this order only.`,
    arrived: (amount: string) => `${amount} arrived. We keep it for this order only.`,
    fromBalance: (amount: string) =>
      `We deducted ${amount} from your balance. We keep it for this order only.`,
    apart: (amount: string) => `${amount} arrived and is held safely until you choose.`,
    kept: (amount: string) => `${amount} arrived and is held safely.`,
    coin: (amount: string) => `Your payment bought ${amount}. It’s ready to send.`,
    sent: (amount: string) => `Your payment bought ${amount}. We sent it to your wallet.`,
    released: 'We released the hold on your card. Your bank may show it for a few more days.',
    partBack: (amount: string, to: string) => `${amount} of it was refunded to ${to}.`,
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
      happened: 'We couldn’t accept the payment.',
      next: 'The order is closed. You can place a new one, or contact support.',
    },
    cancelled: {
      title: 'This order was cancelled',
      happened: 'You cancelled it before it was paid.',
      next: 'The order is closed. You can place a new one at today’s price.',
    },
    expired: {
      title: 'This order has expired',
      happened: 'It was not paid in time.',
      next: 'The order is closed. If your money still arrives, you choose here what happens to it.',
    },
    lapsed: {
      title: 'This order has expired',
      happened: 'The hold on your card expired before we accepted the order.',
      next: 'The order is closed and your card was not charged. You can place a new one at today’s price.',
    },
    refunded: {
      title: 'This order was refunded',
      happened: 'The order was not delivered, and you got a refund.',
      next: 'The order is closed. You can place a new one at today’s price.',
    },
  },
  failed: {
    title: 'This order did not complete',
    happened: 'Something went wrong while fulfilling your order.',
    next: 'Our team is checking this. We won’t charge you again.',
    /** With a choice to make, and for a transfer that an admin must search on the network first. */
    choose: 'Choose below how it continues. We won’t charge you again.',
    network: 'Our team makes sure that the transfer can no longer arrive. Then we send again or refund you.',
  },
  held: {
    title: 'Our team put this order on hold',
    happened: 'We’re reviewing this order before we deliver it.',
    next: 'Then it continues, or we refund you. We show the result here.',
  },
  kept: {
    title: 'We keep trying',
    happened: 'You asked us to keep trying. We try again every few minutes.',
    next: (time: string) =>
      `If it hasn’t worked by ${time}, we’ll ask you again. You can request a refund at any time.`,
  },
  refunding: {
    title: 'Your refund is on its way',
    happened: 'We’re processing your refund.',
    next: 'This page shows when it’s done. Banks show a refund within 5 to 10 working days.',
  },
  dispute: {
    /** Instead of what comes next for an order that still waits. */
    afterSending:
      'We’ve sent your crypto, and that doesn’t change. The bank decides about the payment. If you didn’t dispute it, or it was a mistake, get help below.',
    lost: {
      title: 'The dispute was decided for the cardholder',
      happened: 'The bank returned the disputed payment to the cardholder.',
      next: 'The order is closed. If you got your crypto, we deduct the amount from your balance, and you owe us the rest. Get help below if this is a mistake.',
    },
    won: {
      title: 'The dispute is over',
      happened: 'The bank decided that the payment is valid.',
      next: 'You don’t need to do anything.',
    },
  },
} as const

export const amendTexts = {
  title: 'Enter another address',
  lead: (coin: string, network: string) =>
    `We’ll send ${coin} there on the ${network}. The address must be your own.`,
  label: 'New address',
  submit: 'Send to this address',
  sending: 'Saving…',
  confirmTitle: 'Send your crypto to this address?',
  confirmText: (coin: string, network: string) =>
    `${coin} on the ${network}. You can’t undo a transfer. Check the whole address.`,
  confirm: 'Send to this address',
  done: 'Address changed',
  doneText: 'We’ll send your crypto to the new address.',
  another: 'Use another address',
  refused: 'We couldn’t send to this address. Enter another one.',
  held: 'Check your e-mail to confirm this address',
  heldText: 'The link in the e-mail works until',
  linkGone: 'This link no longer works',
  linkGoneText: 'Enter the address again to get a new one.',
  linkUsedText: 'It was used already, or your order no longer needs it.',
  failed: 'We couldn’t change the address',
  failedText: 'Please try again.',
} as const

export const choiceTexts = {
  title: 'What would you like us to do?',
  due: (time: string, left: string) => `Choose by ${time} (${left} left).`,
  overdue: 'The time to choose is over.',
  fallback: (amount: string, to: string) => `If you don’t choose, we refund ${amount} to ${to}.`,
  working: 'Working on it…',
  failed: 'We couldn’t save your choice',
  failedText: 'Try again.',
  keep_trying: {
    title: 'Keep trying',
    text: 'We try again now and then every few minutes, for up to a day. You can still request a refund at any time.',
    button: 'Keep trying',
    done: 'We keep trying',
    doneText: 'You can request a refund at any time.',
  },
  refund_now: {
    title: 'Refund now',
    text: (amount: string, to: string) => `${amount} is refunded to ${to}, and the order is closed.`,
    button: 'Refund now',
    confirmTitle: 'Refund this order?',
    confirmText: (amount: string, to: string) =>
      `${amount} is refunded to ${to}. The order is closed and nothing is delivered.`,
    confirm: (amount: string) => `Refund ${amount}`,
    when: {
      card: 'Banks show a refund within 5 to 10 working days.',
      balance: 'The money is in your balance at once.',
    },
    done: 'Refund started',
    doneText: 'This page shows when it’s done.',
  },
  requote: {
    title: 'Take today’s price',
    text: (amount: string) => `See how much crypto ${amount} buys now before you decide.`,
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
      `You get exactly ${coin}. We hold ${rest} until you choose what becomes of it.`,
    button: 'Keep as ordered',
    confirmTitle: 'Keep the order as it is?',
    confirmText: (coin: string, rest: string) =>
      `You get ${coin} as ordered. We hold ${rest} until you choose what becomes of it.`,
    confirm: 'Keep as ordered',
    done: 'Order kept',
    doneText: 'You can choose what becomes of the rest.',
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
  surplusIs: {
    held: 'Paid too much, held for you',
    crediting: 'Paid too much, being credited to your balance',
    credited: 'Paid too much, credited to your balance',
    returning: 'Paid too much, on its way back to the sender',
    returned: 'Paid too much, sent back to the sender',
    reversed: 'Paid too much, reversed',
  } as Record<string, string>,
  heldUntil: (when: string) => `Credited to your balance on ${when} unless you choose before`,
  creditNow: 'Credit my balance now',
  sendBack: 'Send it back',
  chosen: 'Saved',
  chosenNot: 'Your choice was not saved',
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
