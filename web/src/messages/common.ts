/** Texts that every screen may need. SPEC's literals are entries of this catalogue, word for word. */
export const common = {
  unauthorized: 'Unauthorized',
  loggedOut: 'You are logged out. Logging in again...',
  accessDenied: 'Access Denied',
  adminRequired: 'Admin access required. Redirecting...',
  error: 'Error',
  copied: 'Copied!',
  copyFailed: 'Failed to copy to clipboard',
  copyWhat: (what: string) => `Copy ${what}`,
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  loading: 'Loading…',
  signIn: 'Sign In',
  notFound: '404 Page Not Found',
  notFoundHint: 'There is no page at this address.',
  notFoundSignedOut: 'If you have an account, sign in and we will bring you back here.',
  notFoundHome: 'Go to the start page',
  somethingFailed: 'Something went wrong on this page',
  somethingFailedHint: 'Your orders and your money are not affected. Try again, or come back in a moment.',
  offline: 'The connection was lost. Check your network and try again.',
  slow: 'This is taking longer than usual…',
  partMissing: 'This part of the site could not be loaded',
  partMissingHint: 'There may be a newer version. What you typed is kept.',
  reload: 'Load the page again',
  loadMore: 'Show more',
  skipToContent: 'Skip to content',
  openInNewTab: 'opens in a new tab',
} as const

/** SPEC §4: what each payment method is called, and how long it takes (SPEC §9). */
export const methodLabels: Record<string, string> = {
  card: 'Card',
  domestic_wire: 'Domestic wire',
  international_wire: 'International wire',
  bank_transfer: 'Bank transfer',
  paypal: 'PayPal',
  zelle: 'Zelle',
  zelle_pay: 'Zelle Pay',
  chime: 'Chime',
  revolut: 'Revolut',
  ach: 'ACH',
  wire: 'Wire',
  cash: 'Cash',
  balance: 'Account balance',
}

export const assetNames: Record<string, string> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  USDT: 'Tether',
  USDC: 'USD Coin',
}

export const networkNames: Record<string, string> = {
  bitcoin: 'Bitcoin network',
  ethereum: 'Ethereum network',
  tron: 'Tron network',
}
