/** What is said of a payment that cannot be decided yet. */
export const waitingPayment = {
  waits: 'Waits for',
  waitsFor: { card: 'Card entry', money: 'Transfer' },
  since: 'Since',
} as const
