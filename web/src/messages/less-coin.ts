/** A refund with less crypto, which the customer agrees to or declines. */
export const lessCoin = {
  title: 'A refund with less crypto: do you agree?',
  text: (refund: string, place: string) =>
    `We can refund ${refund} to ${place}. You would receive less crypto.`,
  toCard: 'your card',
  toBalance: 'your account balance',
  now: 'You receive now',
  after: 'With the refund',
  refund: 'Refund',
  until: 'If you don’t answer, nothing changes. The offer ends',
  working: 'One moment…',
  back: 'Go back',
  failed: 'Your answer wasn’t saved',
  failedText: 'Please try again.',
  agree: {
    button: 'Agree',
    title: 'Agree to less crypto?',
    text: (coin: string, refund: string) =>
      `You receive ${coin}, and we refund ${refund}. You can’t undo this.`,
    done: 'Agreed. Your refund is on its way.',
  },
  decline: {
    button: 'Keep my order as it is',
    title: 'Keep your order as it is?',
    text: (coin: string, refund: string) => `You receive ${coin} as ordered, and ${refund} isn’t refunded.`,
    done: 'Your order stays as it is.',
  },
  row: 'Refunded with less crypto',
} as const
