// biome-ignore-all lint/suspicious/noTemplateCurlyInString: titles with parameters, as they stand in the tests
/**
 * SPEC's rows beside the test that shows each. `spec-table.test.ts` fails on a row whose test does not exist.
 * Every issue adds the rows of what it builds.
 */
export interface Row {
  /** Section of SPEC.md. */
  section: '§2' | '§3' | '§4' | '§5' | '§6' | '§7' | '§8' | '§9'
  says: string
  /** File below web/, and the test's title (or what it begins with). */
  shownBy: readonly [file: string, title: string]
}

const story = 'e2e/flows/story.spec.ts'
const access = 'e2e/flows/access.spec.ts'
const buying = 'e2e/flows/buy.spec.ts'
const rails = 'e2e/flows/rails.spec.ts'
const screens = 'e2e/flows/screens.spec.ts'
const admin = 'e2e/flows/admin.spec.ts'
const trouble = 'e2e/flows/trouble.spec.ts'
const account = 'e2e/flows/account.spec.ts'
const support = 'e2e/flows/support.spec.ts'
const texts = 'e2e/flows/texts.spec.ts'
const factor = 'e2e/flows/two-factor.spec.ts'
const cards = 'e2e/flows/gift-cards.spec.ts'
const menu = 'e2e/flows/menu.spec.ts'
const chat = 'e2e/flows/chat.spec.ts'
const dashboard = 'e2e/flows/dashboard-admin.spec.ts'
const prices = 'e2e/flows/pricing-admin.spec.ts'
const books = 'e2e/flows/books.spec.ts'
const booksStory =
  'the older panel approves a card; it is found among all transactions, followed to its postings and to who approved it'
const money = 'src/lib/money.test.ts'
const http = 'src/lib/http.test.ts'
const toast = 'src/lib/toast.test.ts'
const status = 'src/components/status/status.test.ts'
const validation = 'src/features/buy/validation.test.ts'

const customers = 'e2e/flows/customers-admin.spec.ts'
const customersFound =
  'customers: found by e-mail in any case, filtered through the address, and given a tier by hand'
const dashboardStory =
  "the admin's dashboard: figures, health, queues, activity, and what it says when calls are lost"
const cardSold = 'a gift card is sold: refused once with a reason, then approved, paid and realised'
const factorStory =
  'two-factor: set up, sign out, sign in through the blocking dialog with a code and with a backup code'
const factorToasts = 'SPEC §8: every toast of the second factor, and of copying'
const dashboardLost = 'SPEC §8: what the dashboard says when a call is lost'
const wholeStory = 'a visitor signs up, verifies, buys by card with 3-D Secure, and is sent the coin'

export const specTable: readonly Row[] = [
  // The older panel
  { section: '§2', says: "the older panel: 'Back to Dashboard' to /", shownBy: [books, booksStory] },
  {
    section: '§2',
    says: 'the older panel: Total Users, Active Trades, Daily Volume, KYC Pending',
    shownBy: [books, booksStory],
  },
  {
    section: '§2',
    says: 'Pending Reviews: id, brand, value, Approve and Reject of the first 5 pending gift cards',
    shownBy: [books, booksStory],
  },
  {
    section: '§2',
    says: 'Voucher Statistics: redeemed today, total value, success rate',
    shownBy: [books, booksStory],
  },
  {
    section: '§2',
    says: 'the older panel: generate vouchers and export CSV',
    shownBy: [books, booksStory],
  },
  {
    section: '§2',
    says: '/admin/transactions: Monitor Transactions, View All activity',
    shownBy: [books, booksStory],
  },
  // Routes
  { section: '§2', says: 'signed-out routes', shownBy: [access, 'reads ${path}'] },
  {
    section: '§2',
    says: "anything else is '404 Page Not Found'",
    shownBy: [access, 'sees the 404 page at ${path}, with the way to sign in'],
  },
  {
    section: '§2',
    says: 'admin routes show the 404 page to non-admins',
    shownBy: [access, 'sees the 404 page at ${path}'],
  },
  {
    section: '§2',
    says: 'sign in and sign up are navigations to /api/login',
    shownBy: [access, 'comes back to the page they wanted after signing in'],
  },
  {
    section: '§2',
    says: 'logout is a navigation to /api/logout',
    shownBy: [access, 'logs out, and is a visitor again'],
  },
  {
    section: '§2',
    says: '/test shows login state, admin flag and links',
    shownBy: [access, 'sees their state on /test'],
  },
  {
    section: '§2',
    says: 'referral, signed out: Sign In Required with a link home',
    shownBy: [access, 'is told on /referral that sign-in is required'],
  },
  // Landing, header, footer
  {
    section: '§2',
    says: 'landing: badge, figures, block, six questions; Learn More scrolls to #features',
    shownBy: [screens, 'the landing page says what SPEC lists, and Learn More scrolls to the features'],
  },
  {
    section: '§2',
    says: 'newsletter: toast, reset, no call',
    shownBy: [screens, 'the newsletter thanks, empties its field, and calls nobody'],
  },
  {
    section: '§2',
    says: 'the mobile menu mirrors the header',
    shownBy: ['e2e/a11y/routes.spec.ts', 'the open dialogs and the mobile menu'],
  },
  // Dashboard
  {
    section: '§2',
    says: 'logged out: toast, then /api/login after 500 ms',
    shownBy: [access, 'whose session ends in the app gets the toast, and the login after 500 ms'],
  },
  {
    section: '§2',
    says: 'KYC Status: Verified green, Rejected red, else Pending yellow',
    shownBy: [status, 'the dashboard shows %s as %s'],
  },
  { section: '§2', says: 'identity card: badges', shownBy: [status, 'the card shows %s as %s'] },
  {
    section: '§2',
    says: 'identity card: Try Again when rejected',
    shownBy: [buying, 'a refused photo can be sent again'],
  },
  {
    section: '§2',
    says: 'purchase card: estimate, toast Payment Integration Required',
    shownBy: [buying, "the dashboard's card is an estimate that opens /buy filled in"],
  },
  // KYC
  { section: '§2', says: 'KYC screen: start, widget, success notice', shownBy: [story, wholeStory] },
  {
    section: '§4',
    says: 'KYC rejected can be retried',
    shownBy: [buying, 'a refused photo can be sent again'],
  },
  // Buy
  {
    section: '§2',
    says: 'asset tiles, amount (step, min, placeholder), nine methods',
    shownBy: [buying, 'the nine methods with their timings, and the four assets'],
  },
  {
    section: '§2',
    says: 'order summary, volume discount only above 0',
    shownBy: [
      buying,
      'the price has its lines and a countdown, renews itself, and what remains of the limits is shown',
    ],
  },
  {
    section: '§2',
    says: 'KYC banner with a link to /kyc',
    shownBy: [buying, 'SPEC §5: every message when something is missing, and the banner'],
  },
  {
    section: '§9',
    says: 'timings of the nine methods',
    shownBy: [buying, 'the nine methods with their timings, and the four assets'],
  },
  { section: '§5', says: 'Invalid Amount', shownBy: [validation, 'an amount of %j'] },
  { section: '§5', says: 'Wallet Address Required', shownBy: [validation, 'an address of %j'] },
  { section: '§5', says: 'KYC Verification Required', shownBy: [validation, 'an identity that is %s'] },
  {
    section: '§5',
    says: 'buy button disabled without an amount; minimum 50 shown',
    shownBy: [buying, 'SPEC §5: every message when something is missing, and the banner'],
  },
  {
    section: '§5',
    says: "dashboard purchase: 'Please enter a valid amount', 'Please enter your wallet address'",
    shownBy: [buying, "the dashboard's card is an estimate that opens /buy filled in"],
  },
  {
    section: '§8',
    says: "'Order Failed' / 'Failed to create order. Please try again.'",
    shownBy: [buying, 'a lost answer and a second press make one order'],
  },
  {
    section: '§8',
    says: "'Failed to calculate pricing'",
    shownBy: [buying, 'an amount below the minimum is refused at its field, by the server'],
  },
  { section: '§8', says: "'Order Created!'", shownBy: [story, wholeStory] },
  // Orders
  { section: '§2', says: "my orders: 'No orders yet', error", shownBy: [screens, '${path}: ${failed}'] },
  {
    section: '§2',
    says: 'my orders: card with status, txid copy only when sent',
    shownBy: [story, wholeStory],
  },
  {
    section: '§4',
    says: 'labels of the six states; unknown displays as pending',
    shownBy: [status, 'unknown statuses display as pending'],
  },
  { section: '§4', says: 'Fulfill moves payment_approved to fulfilling', shownBy: [story, wholeStory] },
  { section: '§8', says: "'Copied!'", shownBy: [story, wholeStory] },
  // Wallet, transactions
  {
    section: '§2',
    says: 'wallet: withdrawals, completed orders labelled Delivered',
    shownBy: [story, wholeStory],
  },
  {
    section: '§8',
    says: "'Failed to fetch withdrawals', 'Failed to fetch orders'",
    shownBy: [screens, '${path}: ${failed}'],
  },
  {
    section: '§2',
    says: 'transactions: search, filters, count line, two empty notices, export',
    shownBy: [
      screens,
      'transactions: filters live in the address, Back restores them, and nothing found is said as such',
    ],
  },
  {
    section: '§9',
    says: 'transactions CSV columns and file name',
    shownBy: [
      screens,
      'transactions: filters live in the address, Back restores them, and nothing found is said as such',
    ],
  },
  // Pricing
  {
    section: '§2',
    says: 'pricing: four prices, N/A when missing, method cards',
    shownBy: [screens, 'public prices: four cards, four methods, fees, and what is missing is N/A'],
  },
  // Admin payments
  {
    section: '§2',
    says: 'payments: stat cards, counts, method filter',
    shownBy: [admin, 'counters, filters and counts agree with the server'],
  },
  {
    section: '§2',
    says: "payments: card brand with last4 or 'N/A', intent id, Process",
    shownBy: [story, wholeStory],
  },
  {
    section: '§2',
    says: 'payments: details dialog with evidence',
    shownBy: [rails, 'a wire: instructions, reference, receipt, and the receipt confirmed'],
  },
  {
    section: '§5',
    says: 'Decline: confirm disabled until a reason is given',
    shownBy: [story, 'a declined card charges nothing, and another card then pays'],
  },
  {
    section: '§8',
    says: "'Payment Processed' / 'The payment has been successfully captured and charged.'",
    shownBy: [story, wholeStory],
  },
  {
    section: '§8',
    says: "'Payment Declined' / 'The payment has been declined.'",
    shownBy: [story, 'a declined card charges nothing, and another card then pays'],
  },
  {
    section: '§8',
    says: "'Decline Failed' with the server's message",
    shownBy: [admin, 'a refusal of the server is shown with its reason, in the dialog and as a toast'],
  },
  {
    section: '§9',
    says: 'payments every 10 s; polling moves nothing',
    shownBy: [admin, 'the payments list keeps focus, filter and dialog through two polls, by keyboard alone'],
  },
  // Admin orders
  {
    section: '§2',
    says: 'orders: six counters, search, empty states, copy',
    shownBy: [admin, 'the orders list: six counters, search, empty states, copy'],
  },
  {
    section: '§2',
    says: 'orders: Fulfill only for payment_approved',
    shownBy: [admin, 'the orders list: six counters, search, empty states, copy'],
  },
  { section: '§2', says: 'orders: exchange order id, transfer id', shownBy: [story, wholeStory] },
  {
    section: '§2',
    says: 'orders: error details when failed',
    shownBy: [
      trouble,
      'a refused purchase fails with its error on the card, is retried by a person, and is sent',
    ],
  },
  {
    section: '§2',
    says: 'orders: retry attempts with last error',
    shownBy: [
      trouble,
      'attempts that did not work are counted on the card, and told to the customer in plain words',
    ],
  },
  {
    section: '§8',
    says: "'Fulfillment Started' / 'Order fulfillment has been initiated'",
    shownBy: [story, wholeStory],
  },
  // Support
  {
    section: '§2',
    says: 'support card: first 3 tickets, form with six subjects, FAQ, response time of 2 minutes',
    shownBy: [support, 'a ticket goes both ways: asked from an order, answered, written back, closed'],
  },
  {
    section: '§5',
    says: "ticket: 'Please fill in all fields'",
    shownBy: [support, 'a ticket goes both ways: asked from an order, answered, written back, closed'],
  },
  {
    section: '§8',
    says: "'Support ticket submitted successfully'",
    shownBy: [support, 'a ticket goes both ways: asked from an order, answered, written back, closed'],
  },
  {
    section: '§2',
    says: 'rights of the privacy page: access, portability',
    shownBy: [support, 'a copy of one’s data is asked for, told of by mail, and downloaded'],
  },
  {
    section: '§2',
    says: 'rights of the privacy page: correction, opt-out, restriction, deletion',
    shownBy: [support, 'mails are chosen, a name is put right, an account is restricted and kept'],
  },
  // Around it all: dashboard, menus, chat, gift cards, second factor
  {
    section: '§2',
    says: 'dashboard: sections in order, quick actions and their anchors',
    shownBy: [texts, 'the dashboard has SPEC’s sections in its order, and its quick actions lead to them'],
  },
  {
    section: '§2',
    says: 'header: the ways of a signed-in person, in the mobile menu too',
    shownBy: [
      menu,
      'the menu under one’s name leads to everything that is one’s own, by keyboard, by pointer and on a phone',
    ],
  },
  {
    section: '§2',
    says: 'the floating chat button only shows a placeholder toast',
    shownBy: [chat, 'without a key the chat button only shows a toast'],
  },
  {
    section: '§3',
    says: 'the chat script is loaded and the user identified when a key is configured',
    shownBy: [chat, 'with a key the chat is loaded once agreed to, on its page alone'],
  },
  {
    section: '§2',
    says: 'trade card: brand, value, card number, PIN or expiry and security code, pictures, quote',
    shownBy: [cards, cardSold],
  },
  {
    section: '§5',
    says: "gift card: 'Please fill in all required fields: ' plus the names; MM/YY",
    shownBy: [cards, cardSold],
  },
  { section: '§9', says: 'gift-card payout: 85 % minus $5', shownBy: [cards, cardSold] },
  {
    section: '§8',
    says: "'Gift card submitted for review', 'Failed to submit gift card'",
    shownBy: [texts, dashboardLost],
  },
  { section: '§8', says: "'Failed to submit support ticket'", shownBy: [texts, dashboardLost] },
  {
    section: '§2',
    says: '2FA: set-up with QR and manual secret, backup codes with download',
    shownBy: [factor, factorStory],
  },
  { section: '§2', says: 'blocking dialog over any page, two tabs', shownBy: [factor, factorStory] },
  { section: '§4', says: '2FA: login verification, then the page reloads', shownBy: [factor, factorStory] },
  {
    section: '§9',
    says: 'backup codes are single-use, downloaded as {product}-backup-codes.txt',
    shownBy: [factor, factorStory],
  },
  { section: '§5', says: "2FA: 6 digits enable the button; 'Code required'", shownBy: [texts, factorToasts] },
  {
    section: '§8',
    says: "'Setup Failed', 'Verification Failed', 'Disable Failed', 'Regeneration Failed' with their texts",
    shownBy: [texts, factorToasts],
  },
  {
    section: '§8',
    says: "'2FA Setup Initiated', '2FA Enabled', '2FA Disabled', 'Backup Codes Regenerated'",
    shownBy: [texts, factorToasts],
  },
  { section: '§8', says: "'Error' / 'Failed to copy to clipboard'", shownBy: [texts, factorToasts] },
  {
    section: '§8',
    says: "'Failed to start verification process. Please try again.', 'Verification Error'; KYC widget events",
    shownBy: [texts, 'SPEC §4, §8: what the identity screen says of the widget, and when a call is lost'],
  },
  {
    section: '§2',
    says: "admin pricing: a card per method with its fields, 'No limit', numbers by 0.01 (§5), what a change is told (§8)",
    shownBy: [
      prices,
      'a change of pricing: tried while typing, saved, seen by a customer at once, kept with who made it',
    ],
  },
  {
    section: '§8',
    says: "'Update Failed' / 'Failed to update pricing configuration'; 'Failed to fetch payment methods', '… volume tiers', '… KYC pricing'",
    shownBy: [prices, 'a change that fails is told in the words of the specification'],
  },
  {
    section: '§2',
    says: 'volume tiers and KYC levels are read only; null is Unlimited',
    shownBy: [prices, 'tiers and levels are read, and no limit is Unlimited'],
  },
  {
    section: '§2',
    says: "locations: no location-specific pricing, 'Add Country Pricing' (real, as DECISIONS §6 says)",
    shownBy: [prices, 'a country gets a price of its own, is blocked, and is as all others again'],
  },
  // Calls, errors, constants
  {
    section: '§8',
    says: 'errors are "status: body"',
    shownBy: [http, 'the message is the status, a colon and a space, and the body'],
  },
  {
    section: '§8',
    says: 'the status text when the body is empty',
    shownBy: [http, 'the status text stands in for an empty body'],
  },
  {
    section: '§7',
    says: 'x-csrf-token from GET /api/csrf-token',
    shownBy: [http, 'carry the token, fetched once'],
  },
  {
    section: '§9',
    says: 'dashboard fee 2.5 %, crypto to 8 decimals',
    shownBy: [money, 'a fee of 2.5 %, amount + fee, and amount ÷ rate to 8 decimals'],
  },
  { section: '§9', says: 'toasts: one, 5000 ms, 1,000,000 ms', shownBy: [toast, 'the numbers'] },
  {
    section: '§9',
    says: 'at most one toast',
    shownBy: [toast, 'at most one is there: a new one takes the place of the old'],
  },
  {
    section: '§6',
    says: 'buying needs verified KYC',
    shownBy: [buying, 'SPEC §5: every message when something is missing, and the banner'],
  },
  {
    section: '§6',
    says: 'accounts: forgotten password, e-mail verification (DECISIONS §7)',
    shownBy: [account, 'a forgotten password is reset through the mailbox, and the old one is worth nothing'],
  },

  // The admin's dashboard
  {
    section: '§2',
    says: 'metric cards with change badges, Verified Users, Total Orders, Pending Orders',
    shownBy: [dashboard, dashboardStory],
  },
  {
    section: '§2',
    says: 'Platform Health and Recent Activity',
    shownBy: [dashboard, dashboardStory],
  },
  {
    section: '§8',
    says: "'Failed to fetch stats', 'Failed to fetch activity'",
    shownBy: [dashboard, dashboardStory],
  },

  // Customers
  {
    section: '§2',
    says: 'counters, search, filters, columns, badges and empty states of the customers',
    shownBy: [customers, customersFound],
  },
  {
    section: '§2',
    says: "the edit dialog with its statistics ('Never') and the tier",
    shownBy: [customers, customersFound],
  },
  {
    section: '§8',
    says: "'Customer tier updated successfully', 'Failed to update customer tier'",
    shownBy: [customers, customersFound],
  },
]
