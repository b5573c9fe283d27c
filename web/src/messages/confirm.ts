/** A request that its customer confirms by a mailed link, since they have no two-factor authentication. */
export const confirmTexts = {
  waits: 'Action needed: confirm by mail',
  check: 'Check and confirm',
  of: {
    payout:
      'We reserved the amount. We review the payout after you open the link we e-mailed you and confirm it.',
    export: 'We prepare your data after you open the link we e-mailed you and confirm the request.',
    order:
      'This wallet address is new. The price is locked and the amount is reserved until you open the link we e-mailed you and confirm the order.',
  },
  until: 'Confirm by',
  confirm: 'Confirm',
  confirming: 'Confirming…',
  done: 'Confirmed',
  failed: 'We couldn’t do this. Try again.',
  again: 'Send the link again',
  sending: 'Sending…',
  sentAgain: 'Link sent',
  used: 'There is nothing left to confirm here',
  usedText: 'The link was used already, or its time is over. Below you see where it stands.',
} as const
