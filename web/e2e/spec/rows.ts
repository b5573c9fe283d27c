/**
 * What the specification says of the running site, and that an assertion showed: `said` are its literals,
 * below the page that shows them and, where a literal alone is ambiguous, the part of it; `shown` is what is
 * no text. A row counts when an `expect` of a test that passed found it there (fixtures/expect.ts), or when
 * `shows()` was given the assertion; reporter.ts fails a whole run that lacks one. A single word counts when
 * an element says it and nothing else, a sentence wherever it stands. Polling, arithmetic, formats and the
 * toasts' clock are asserted beside their code, in tests named "specification §…".
 *
 * Figures stand in for the specification's X and Y. 'Failed to process crypto purchase' belongs to a call
 * that specification §7 says is never made.
 */
const said: Readonly<Record<string, string>> = {
  '*': `
    404 Page Not Found | Unauthorized | You are logged out. Logging in again... | Sign In Required`,
  '/': `
    Get Started | $25 free Bitcoin | 180+ | 150+ | 100M+ | 1M+ | Thank you! |
    You've been added to our newsletter. | Buy Crypto | Account Balance | Active Trades | KYC Status |
    Crypto Swap | Gift Cards | Redeem Voucher | Send Money | Under Review |
    Your documents are being reviewed. Usually takes 5-15 minutes. | Not Verified |
    Verify your identity to unlock higher trading limits. | Start Verification | Rejected | Try Again |
    Payment Integration Required | Please enter a valid amount | Please enter your wallet address |
    Please fill in all required fields: Brand, Value, Card Number, PIN | Gift card submitted for review |
    Failed to submit gift card | Please enter a valid 16-digit voucher code | Invalid Voucher |
    Voucher code not found or already redeemed | Voucher Valid | Voucher worth $25.00 found |
    Please fill in all required fields | Failed to redeem voucher |
    Voucher redeemed successfully! Crypto will be sent shortly. | 10-30 minutes |
    Failed to submit support ticket | 2 minutes`,
  '/ banner': `
    Home | Features | How It Works | Sign In | Wallet | Transactions | Verification | Dashboard | Logout`,
  '/ contentinfo': `
    Pricing & Rates | About Us | Contact Us | Referral Program | Visa | Mastercard | Bank Transfer |
    Wire Transfer | AML/KYC · SSL · PCI DSS · CCPA`,
  '/ heading': `
    Card | ACH | Wire | Cash | Simplicity | Security | Support`,
  '/kyc': `
    Verified | Your identity is verified. All features unlocked! | Verification failed. Please try again. |
    Failed to start verification process. Please try again. | Verification Error |
    There was an error during verification. Please try again. | Verification Started | Documents Submitted`,
  '/buy': `
    Invalid Amount | Please enter a valid crypto amount | Wallet Address Required |
    Please enter your wallet address to receive crypto | KYC Verification Required |
    Please complete identity verification before making purchases | Order Failed |
    Failed to create order. Please try again. | Failed to calculate pricing | Calculating price...`,
  '/orders': `
    New Order | No orders yet | Buy Crypto Now | Failed to fetch orders | Order Created! | Payment Pending |
    Payment Approved | Sent`,
  '/orders toast': `
    Copied!`,
  '/wallet': `
    No completed orders yet. | Delivered | View All | Failed to fetch withdrawals | Total Orders | Total Spent |
    Pending Orders`,
  '/transactions': `
    Showing 1 of 1 transactions | Export CSV | Failed to fetch orders`,
  '/transactions columnheader': `
    Order ID | Date | Cryptocurrency | Amount | USD Amount | Payment | Status`,
  '/pricing': `
    N/A | Disabled`,
  '/terms': `
    You must be 18+ | needs a verified identity (KYC) | up to 7 years |
    access, correction, deletion, portability, opt-out and restriction`,
  '/privacy': `
    that you are 18+ | identity verification (KYC) | up to 7 years | Access: | Correction: | Deletion: |
    Portability: | Opt-out: | Restriction:`,
  '/referral': `
    Total Referrals | Active Referrals | Pending Rewards | Total Earned | Share your link`,
  '/settings': `
    Setup Failed | Failed to set up 2FA | 2FA Setup Initiated | Failed to copy to clipboard |
    Verification Failed | Invalid verification code | 2FA Enabled | Code required | Regeneration Failed |
    Failed to regenerate backup codes | Backup Codes Regenerated | Disable Failed | 2FA Disabled`,
  '/support': `
    Please fill in all fields | Support ticket submitted successfully`,
  '/admin': `
    Pending Payments | Pricing Config | Configure Pricing & Margins | Customers | Manage Customers |
    Monitor Transactions | View All activity | Review KYC Submissions | Total Users | 24h Volume | 30d Revenue |
    Avg Margin | Verified Users | Total Orders | Requires attention | Payment Processing | KYC Verification |
    Crypto Orders | Operational | P2P Integration | Limited | on_the_moon | Failed to fetch stats |
    Failed to fetch activity | Access Denied | Admin access required. Redirecting...`,
  '/admin/legacy': `
    Back to Dashboard | Total Users | Active Trades | Daily Volume | KYC Pending`,
  '/admin/pricing': `
    Unlimited | Add Country Pricing | Payment Method Updated |
    Pricing configuration has been updated successfully | Update Failed | Failed to update pricing configuration |
    Failed to fetch payment methods | Failed to fetch volume tiers | Failed to fetch KYC pricing`,
  '/admin/customers': `
    Loading customers... | No customers found | Anonymous | N/A | Never | Customer tier updated successfully |
    Failed to update customer tier`,
  '/admin/customers columnheader': `
    Customer | Email | KYC Status | Volume Tier | 30-Day Volume | Country | Actions`,
  '/admin/payments': `
    No pending payments found | Refresh | Payment Processed |
    The payment has been successfully captured and charged. | Processing Failed |
    Failed to process payment. Please try again. | Payment Declined | The payment has been declined. |
    Decline Failed | Failed to decline payment. Please try again.`,
  '/admin/orders': `
    No orders found | Try adjusting your filters | No direct purchase orders yet | Refresh | Not yet |
    Fulfillment Started | Order fulfillment has been initiated | Fulfillment Failed |
    Failed to start fulfillment`,
  '/admin/orders toast': `
    Copied!`,
  '/admin/vouchers': `
    Quantity must be between 1 and 100 | Failed to generate voucher | No Vouchers | Generate some vouchers first`,
}

/** What the specification says and no text says: `shows()` is given the assertion. */
export const shown = [
  '§2 every route opens for its role, and says so in its heading',
  '§2 the mobile menu mirrors the header of a visitor',
  '§2 the mobile menu mirrors the header of a customer',
  '§2 the footer leads where the specification lists',
  '§2 the header leads where the specification lists',
  '§2 purchase card: four assets, BTC first, four methods',
  '§2 purchase card: submitting calls no endpoint to buy',
  '§2 trade card: about 150 brands, five of them prepaid, several pictures',
  '§5 prepaid: at most 19, 5 and 4 characters',
  '§2 identity card: no start while pending',
  '§2 recent transactions: type, from, to, amount, status, date',
  '§9 five withdrawals, each by the first 16 characters of its txid',
  '§5 a code of the second factor has at most 6 characters',
  '§2 recent activity: the first ten',
  '§2 who loses the role is on the start page after a second',
  '§3 the chat script is loaded and its visitor identified, after consent (rules §9)',
  '§2 the specification’s anchors of the quick actions stand on the dashboard',
  '§7 x-csrf-token goes with the second factor alone',
  '§5 Decline: no confirming without a reason',
  '§2 2FA: a QR code and the secret beside it',
  '§9 backup codes: downloaded as {product}-backup-codes.txt',
  '§2 the blocking dialog: six digits enable it',
  '§8 a backup code used: a note to regenerate them',
  '§9 a backup code counts once',
  '§2 payments: N/A without a card',
  '§2 payments: Process only with a payment intent',
  '§2 payments: details show the evidence',
  '§2 orders: error details when failed',
  '§2 orders: retry attempts',
  '§2 orders: the last error of a retry',
  '§2 payments: the card by its brand and last4',
  '§2 payments: the payment intent',
  '§4 Process captures: pending becomes payment_approved',
  '§2 my orders: the transaction id is copied once sent',
  '§2 orders: the transfer id',
  '§2 orders: the exchange order id',
  '§2 transactions: the order among them',
  '§9 transactions CSV: its name',
  '§9 transactions CSV: its columns',
  '§2 transactions: no export of nothing',
  '§2 newsletter: no call is made',
  '§2 landing: six questions',
  '§2 Learn More scrolls to #features',
  '§2 pricing: four methods',
  '§2 orders: six counters',
  '§2 orders: Fulfill only for payment_approved',
  '§2 orders: the search asks for no case',
  '§9 polling payments moves nothing',
  '§2 logged out: the login after 500 ms',
  '§2 logging out ends at /',
  '§2 /test shows the login state',
  '§9 gift cards pay 85 % minus $5',
  '§5 the expiration date is MM/YY',
  '§5 a voucher code stands in groups of four',
  '§9 vouchers expire after 365 days',
  '§5 vouchers of 25, 50, 100 or custom',
  '§5 vouchers in USD, BTC, ETH',
  '§9 a voucher has 16 digits',
  '§9 voucher CSV: its columns',
  '§9 voucher CSV: its name',
  '§2 voucher card: cleared after redeeming',
  '§9 vouchers over $300 need a verified identity',
  '§5 pricing form: numbers by 0.01',
  '§2 tiers and levels are read only',
  '§5 the buy button is disabled without an amount',
  '§2 older panel: a pending card with its id',
  '§2 older panel: success rate of vouchers',
] as const

export type Shown = (typeof shown)[number]

/** What an element says, and the parts of the page that it stands in. */
export interface Said {
  text: string
  parts: readonly string[]
}

/** A row that is a text: `/orders toast: Copied!`. */
const texts = Object.entries(said).flatMap(([place, words]) => {
  const [path = '', part] = place.split(' ')
  return words.split('|').map((word) => ({ row: `${place}: ${word.trim()}`, path, part, word: word.trim() }))
})

/** Does a page say what stands below `place`? The landing page and the dashboard share their address. */
export function isAt(place: string, path: string): boolean {
  if (place === '*') return true
  if (place === '/') return path === '/' || path === '/dashboard'
  return path === place || path.startsWith(`${place}/`)
}

/** Every row, by name. */
export const rows: readonly string[] = [...shown, ...texts.map(({ row }) => row)]

/** A single word is ambiguous; one that ends in a colon begins a sentence of its own. */
const isWord = (text: string) => !/[\s:]/.test(text)

/** The rows of an element's text: a single word is all of it, a sentence a part. */
export function rowsOf(path: string, { text, parts }: Said): string[] {
  return texts
    .filter((one) => isAt(one.path, path) && (!one.part || parts.includes(one.part)))
    .filter(({ word }) => (isWord(word) ? text === word : text.includes(word)))
    .map(({ row }) => row)
}

/** The rows of an assertion, by the texts of its locator and of its expectation. */
export function aimedAt(path: string, assertion: string): string[] {
  return texts
    .filter((one) => isAt(one.path, path))
    .filter(
      ({ word }) =>
        [...`"'/^`].some((mark) => assertion.includes(mark + word)) ||
        (!isWord(word) && assertion.includes(word)),
    )
    .map(({ row }) => row)
}
