import type { Asset, Network } from '@/api/lists.gen'

/** Texts that every screen may need. The specification's literals are entries of this catalogue, word for word. */
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
  notFoundHint: 'Check the address, or go to the home page.',
  notFoundSignedOut: 'Sign in to open this page',
  notFoundHome: 'Go to the home page',
  somethingFailed: 'Something went wrong on this page',
  somethingFailedHint: 'Your orders and your money are safe. Try again, or come back in a few minutes.',
  serverFailed: 'Something went wrong on our side. Try again in a moment.',
  noAnswer: 'There was no answer. Check your connection and try again.',
  slow: 'This is taking longer than usual…',
  partMissing: 'We couldn’t load this part of the site',
  partMissingHint: 'Reload the page. What you entered is still here.',
  reload: 'Reload the page',
  loadMore: 'Show more',
  openInNewTab: 'opens in a new tab',
} as const

/** specification §4: what each payment method is called, and how long it takes (specification §9). */
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
} satisfies Record<Asset, string>

export const networkNames: Record<string, string> = {
  bitcoin: 'Bitcoin network',
  ethereum: 'Ethereum network',
  tron: 'Tron network',
} satisfies Record<Network, string>
