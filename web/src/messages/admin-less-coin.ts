/** A partial refund with less crypto, as staff see it. */
export const adminLessCoin = {
  legend: 'What happens to the crypto?',
  all: 'Send all the crypto',
  less: 'Send less crypto, if the customer agrees',
  lessText: (amount: string, customer: string) =>
    `Offers customer ${customer} a refund of ${amount} with less crypto. Nothing is refunded before they agree.`,
  would: (before: string, after: string) =>
    `The order would send ${after} instead of ${before}. The customer has 72 hours to agree; until then the order waits.`,
  go: (amount: string) => `Offer ${amount}`,
  offered: 'Offer sent',
  agreed: (refunded: string) => `${refunded} was refunded with the customer’s agreement`,
  sends: (coin: string) => `Sends ${coin}, as the customer agreed.`,
  sendsShort: (refunded: string, coin: string) =>
    `Sends ${coin}; ${refunded} was refunded with the customer’s agreement.`,
  both: (agreed: string, coin: string) =>
    `${agreed} of it with the customer’s agreement to less crypto. The customer still receives all ${coin}.`,
  waits: 'The customer was offered less crypto',
  waitsText: (refund: string, before: string, after: string) =>
    `A refund of ${refund}, and ${after} instead of ${before}. The order waits for the answer until`,
  withdrawTitle: 'Withdraw this offer?',
  withdrawText: (coin: string, customer: string) =>
    `Customer ${customer} can no longer agree. The order sends all ${coin}.`,
  withdrawn: 'Offer withdrawn',
  failed: 'The offer was not changed',
  failedText: 'Refresh the page and try again.',
} as const
