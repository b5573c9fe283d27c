import { randomUUID } from 'node:crypto'
import type { Browser, Page } from '@playwright/test'
import type { AdminCustomer, MethodPricing, Withdrawal } from '../../src/api/types.gen'
import { pages } from '../../src/pages'
import { AdminOrdersPage, AdminPaymentsPage } from '../fixtures/admin'
import { addresses } from '../fixtures/buying'
import { test as crowd } from '../fixtures/crowd'
import { shows } from '../fixtures/expect'
import { authorised, Caller, fulfilled, order, paid, until } from '../fixtures/orders'
import { browserOf, isLive, signUp, submitDocuments, verifiedCustomer } from '../fixtures/people'
import { answerWith, expectToast, expectToastOnLeaving, lose } from '../fixtures/said'
import { mailTo, operator, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/*
 * What the specification lists and no longer test reaches; spec/rows.ts is the whole of it. A screen's text
 * for rows that do not exist is shown by an answer that the test derives from a real one, with the reason
 * beside it.
 */

/** Cash is disabled in a new installation; the specification names every method. */
async function offerCash(browser: Browser, isEnabled: boolean): Promise<void> {
  const context = await browserOf(browser, 'alice@example.com')
  const path = '/api/admin/pricing/payment-methods'
  const methods: MethodPricing[] = await (await context.request.get(`${siteUrl}${path}`)).json()
  const cash = methods.find(({ paymentMethod }) => paymentMethod === 'cash')
  if (!cash) throw new Error('no price of cash')
  const { id, baseMarginPercent, processingFee, minOrderAmount } = cash
  const data = { baseMarginPercent, processingFee, minOrderAmount, isEnabled }
  const headers = { origin: siteUrl }
  await expect(await context.request.patch(`${siteUrl}${path}/${id}`, { headers, data })).toBeOK()
  await context.close()
}

test.beforeAll(({ browser }) => offerCash(browser, true))
test.afterAll(({ browser }) => offerCash(browser, false))

/** An exact text, wherever it stands. */
const lettersOf = (text: string) => new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))

/** Each of these stands in a part of the page, exactly. */
async function expectTexts(page: Page, part: string, texts: readonly string[]): Promise<void> {
  for (const text of texts)
    await expect(page.locator(part).getByText(lettersOf(text)).first(), text).toBeVisible()
}

/** The mobile menu, opened, holds the ways that the header of a wide window has. */
async function expectMirrored(page: Page, names: readonly string[]): Promise<void> {
  const hrefs = async () => {
    const found: Record<string, string | null> = {}
    for (const name of names) {
      const link = page.getByRole('banner').getByRole('link', { name, exact: true }).locator('visible=true')
      await expect(link.first(), name).toBeVisible()
      found[name] = await link.first().getAttribute('href')
    }
    return found
  }
  const wide = await hrefs()
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByLabel('Menu', { exact: true }).click()
  expect(await hrefs()).toEqual(wide)
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** specification §2: the pages of a signed-in person, and those of an admin besides. */
const routes = {
  customer:
    '/test / /buy /orders /wallet /transactions /kyc /referral /settings/2fa /pricing /about /terms /privacy',
  admin:
    '/admin /admin/dashboard /admin/pricing /admin/customers /admin/payments /admin/orders /admin/legacy',
}

/** Each route answers, with its own title and a heading that is no 404. */
async function expectOpen(page: Page, paths: string): Promise<void> {
  for (const path of paths.split(' ')) {
    expect((await page.goto(path))?.status(), path).toBe(200)
    const [, , title] = pages.findLast(([pattern]) => pattern === path) ?? []
    await expect(page, path).toHaveTitle(lettersOf(title ?? 'no such page'))
    await expect(page.getByRole('heading', { level: 1 }), path).not.toHaveText('404 Page Not Found')
  }
}

crowd('every route of the specification opens for its role', async ({ customer, staff }) => {
  await shows('§2 every route opens for its role, and says so in its heading', async () => {
    await expectOpen(customer.page, routes.customer)
    await expectOpen(staff.page, routes.admin)
  })
})

test('a visitor reads the specification’s header, footer, landing page, claims and legal texts', async ({
  page,
}) => {
  await page.goto('/')
  const header = page.getByRole('banner')
  const ways = ['Home', 'Features', 'How It Works', 'Support', 'Sign In', 'Get Started']
  for (const name of ways) await expect(header.getByRole('link', { name, exact: true }).first()).toBeVisible()
  await shows('§2 the mobile menu mirrors the header of a visitor', expectMirrored(page, ways))
  await expect(page.getByRole('main').getByRole('link', { name: 'Get Started' }).first()).toBeVisible()
  await expectTexts(page, 'main', [
    'Create a free account',
    'Choose a payment method',
    'Get crypto in your wallet',
    'gift cards',
    'Global money transfers',
    'Get a $25 bonus',
  ])
  for (const name of ['Card', 'ACH', 'Wire', 'Cash'])
    await expect(page.getByRole('heading', { level: 3, name, exact: true })).toBeVisible()
  await expectTexts(page, 'main', ['3.5% fee', '1.5% fee'])
  await page.getByText('How long does verification take?').click()
  await expectTexts(page, 'main', ['5-15 minutes'])

  const footer = page.getByRole('contentinfo')
  const links = await footer
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((found) => found.map((link) => link.getAttribute('href')))
  const quick =
    '/ /buy /wallet /transactions /kyc /dashboard /pricing /about /about#contact /referral /privacy /terms'
  await shows('§2 the footer leads where the specification lists', () =>
    expect(links).toEqual(quick.split(' ')),
  )
  await expectTexts(page, 'footer', [
    'Pricing & Rates',
    'About Us',
    'Contact Us',
    'Referral Program',
    'Visa',
    'Mastercard',
    'Bank Transfer',
    'Cash',
    'Wire Transfer',
    'AML/KYC · SSL · PCI DSS · CCPA',
    'Crypto assets are volatile',
  ])
  await page.goto('/terms')
  const rights = 'access, correction, deletion, portability, opt-out and restriction'
  await expectTexts(page, 'main', [
    'You must be 18+',
    'needs a verified identity (KYC)',
    'up to 7 years for compliance',
    rights,
  ])
  await page.goto('/privacy')
  await expectTexts(page, 'main', ['that you are 18+', 'identity verification (KYC)', 'up to 7 years'])
  for (const right of ['Access', 'Correction', 'Deletion', 'Portability', 'Opt-out', 'Restriction'])
    await expectTexts(page, 'main', [`${right}:`])
})

crowd('a customer’s screens say what is specified: choices, limits and waits', async ({ customer }) => {
  const { page } = customer
  const options = (label: string, part: string) =>
    page
      .locator(part)
      .getByLabel(label)
      .locator('option')
      .evaluateAll((all) => all.map((one) => one.textContent))

  await crowd.step('header', async () => {
    await page.goto('/')
    await isLive(page)
    const ways = {
      'Buy Crypto': '/buy',
      Wallet: '/wallet',
      Transactions: '/transactions',
      Verification: '/kyc',
      Dashboard: '/dashboard',
      Logout: '/api/logout',
    }
    await shows('§2 the header leads where the specification lists', async () => {
      for (const [name, to] of Object.entries(ways)) {
        const link = page.getByRole('banner').getByRole('link', { name, exact: true }).first()
        await expect(link).toHaveAttribute('href', to)
      }
    })
    await shows(
      '§2 the mobile menu mirrors the header of a customer',
      expectMirrored(page, Object.keys(ways)),
    )
    await expect(page.getByRole('banner').getByText('Casey').first()).toBeVisible()
  })

  await crowd.step('the cards of the dashboard', async () => {
    // The customer is shared: with an order of an earlier test, the forms are folded until a link opens them.
    await page.goto('/dashboard#crypto-swap')
    const swap = page.locator('#crypto-swap')
    await shows('§2 purchase card: four assets, BTC first, four methods', async () => {
      await expect(swap.getByLabel('Asset')).toHaveValue('BTC')
      const assets = await options('Asset', '#crypto-swap')
      expect(assets.map((one) => one?.split(' ')[0])).toEqual(['BTC', 'ETH', 'USDT', 'USDC'])
      const methods = swap.getByLabel('Payment method').locator('option')
      expect(await methods.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))).toEqual([
        'card',
        'ach',
        'wire',
        'cash',
      ])
    })
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await swap.getByLabel(/^Amount/).fill('100')
    await swap.getByLabel('Wallet address').fill(addresses.bitcoin)
    const buy = swap.getByRole('button', { name: 'Buy Crypto' })
    await expectToastOnLeaving(page, () => buy.click(), 'Payment Integration Required')
    await page.waitForURL('**/buy')
    await shows('§2 purchase card: submitting calls no endpoint to buy', () =>
      expect(
        asked.filter((call) => call.startsWith('POST ') && !call.endsWith('/calculate-pricing')),
      ).toEqual([]),
    )
    // Response times are measured, and not told of with fewer than ten answers.
    await page.route('**/dashboard', async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/"responseTime":"[^"]*"/, '"responseTime":"2 minutes"')
      await route.fulfill({ response, body })
    })
    await page.goto('/dashboard#gift-cards')
    const cards = page.locator('#gift-cards')
    await expect // the list is made in small pieces, after the page stands
      .poll(async () => (await options('Brand', '#gift-cards')).length)
      .toBeGreaterThan(145)
    await shows('§2 trade card: about 150 brands, five of them prepaid, several pictures', async () => {
      for (const prepaid of ['Visa', 'Mastercard', 'American Express', 'Vanilla Visa', 'OneVanilla']) {
        await cards.getByLabel('Brand').selectOption({ label: prepaid })
        await expect(cards.getByLabel('PIN')).toHaveCount(0)
      }
      await expect(cards.locator('input[type=file]')).toHaveAttribute('multiple', '')
    })
    await shows('§5 prepaid: at most 19, 5 and 4 characters', async () => {
      for (const [label, typed, shown] of [
        ['Card number', '4'.repeat(20), '4'.repeat(20)],
        ['Expiration date', '09/2030', '09/30'],
        ['Security code', '12345', '12345'],
      ] as const) {
        await cards.getByLabel(label).fill(typed)
        await expect(cards.getByLabel(label)).toHaveValue(shown)
      }
      await expect(cards).toContainText('Card Number: at most 19 characters.')
      await expect(cards).toContainText('Security Code: at most 4 characters.')
    })
    await expectTexts(page, '#voucher-redemption', ['10-30 minutes'])
    await expectTexts(page, '#support', ['2 minutes'])
  })

  await crowd.step('buy: a price on its way, and the three notes', async () => {
    await page.goto('/buy')
    await expectTexts(page, 'main', ['Secure payments', 'Fast delivery', 'Best rates'])
    await page.route('**/api/orders/calculate-pricing', () => undefined)
    // The dashboard's card has handed over dollars.
    await page.getByRole('button', { name: 'enter the amount in BTC instead' }).click()
    await page.getByLabel('Amount in BTC', { exact: true }).fill('0.002')
    await expectTexts(page, 'main', ['Calculating price...'])
    await page.unroute('**/api/orders/calculate-pricing')
  })

  await crowd.step('transactions and referrals', async () => {
    await order(customer, 'zelle')
    await page.goto('/transactions')
    await expect(page.getByRole('columnheader').first()).toBeVisible()
    await expect(page.getByRole('columnheader')).toHaveText([
      'Order ID',
      'Date',
      'Cryptocurrency',
      'Amount',
      'USD Amount',
      'Payment',
      'Status',
    ])
    expect(await options('Crypto', 'main')).toEqual(['All', 'BTC', 'ETH', 'USDT', 'USDC'])
    await page.goto('/dashboard')
    const recent = page.getByRole('table', { name: 'Recent Transactions' })
    await shows(
      '§2 recent transactions: type, from, to, amount, status, date',
      expect(recent.getByRole('columnheader')).toHaveText(['Type', 'From', 'To', 'Amount', 'Status', 'Date']),
    )
    await page.goto('/referral')
    await expectTexts(page, 'main', [
      'Total Referrals',
      'Active Referrals',
      'Pending Rewards',
      'Total Earned',
      'Share your link',
      'They sign up and complete KYC',
      'When they complete their first transaction',
    ])
  })
})

test('somebody new is told of the review, and types no more than a code has', async ({ page }) => {
  await signUp(page)
  await page.goto('/settings/2fa')
  await page.getByRole('button', { name: 'Set up' }).click()
  await shows('§5 a code of the second factor has at most 6 characters', async () => {
    await page.getByLabel('Verification code').fill('1234567')
    await expect(page.getByText('A verification code has 6 digits. This has more.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Verify and turn on' })).toBeDisabled()
    await page.getByLabel('Verification code').fill('')
  })
  await page.goto('/kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  await submitDocuments(page, 'Leave it to the control page')
  await expectTexts(page, 'main', ['Review in progress'])
  await page.goto('/dashboard')
  await expectTexts(page, 'main', [
    'Under Review',
    'Your documents are being reviewed. Usually takes 5-15 minutes.',
  ])
  const start = page.getByRole('main').getByRole('link', { name: 'Start Verification' })
  await shows('§2 identity card: no start while pending', expect(start).toHaveCount(0))
})

crowd(
  'a wallet has nothing completed, then five withdrawals by sixteen characters',
  async ({ page, staff }) => {
    // A customer of its own: who has nothing completed yet has met no other test.
    await verifiedCustomer(page)
    const customer = new Caller(page)
    await page.goto('/wallet')
    await expectTexts(page, 'main', [
      'Total Orders',
      'Total Spent',
      'Pending Orders',
      'No completed orders yet.',
    ])
    const main = page.getByRole('main')
    await expect(main.getByRole('link', { name: 'View All' })).toHaveAttribute('href', '/transactions')
    await expect(main.getByRole('link', { name: 'Buy Crypto' })).toHaveAttribute('href', '/buy')
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const made = await paid(customer, staff)
        await fulfilled(staff, made)
        await until(staff, made, 'sent', ({ status }) => status === 'sent')
      }),
    )
    const sent = await customer.get<Withdrawal[]>('/api/withdrawals')
    await page.reload()
    await shows('§9 five withdrawals, each by the first 16 characters of its txid', async () => {
      for (const { txid } of sent.slice(0, 5))
        await expect(main.getByText((txid ?? '').slice(0, 16), { exact: true })).toBeVisible()
      await expect(main.getByText((sent[5]?.txid ?? '').slice(0, 16), { exact: true })).toHaveCount(0)
    })
  },
)

crowd(
  'the back office says what is specified: its ways, nothing found, what failed, and a lost role',
  async ({ customer, staff, page: leaver }) => {
    const { page } = staff
    const activities = () => staff.get<object[]>('/api/admin/recent-activity')
    while ((await activities()).length <= 10) await order(customer, 'zelle')

    await crowd.step('the ways of the dashboard, its services and the newest ten', async () => {
      await page.goto('/admin')
      const main = page.getByRole('main')
      const ways = main.getByRole('navigation', { name: 'Go to' })
      for (const [name, to] of [
        ['Pending Payments', '/admin/payments'],
        ['Configure Pricing & Margins', '/admin/pricing'],
        ['Manage Customers', '/admin/customers'],
        ['Monitor Transactions', '/admin/transactions'],
        ['Review KYC Submissions', '/admin/kyc'],
      ])
        await expect(ways.getByRole('link', { name })).toHaveAttribute('href', to ?? '')
      for (const [name, to] of [
        ['Pricing Config', '/admin/pricing'],
        ['Customers', '/admin/customers'],
        ['View All activity', '/admin/transactions'],
      ])
        await expect(page.getByRole('link', { name, exact: true }).first()).toHaveAttribute('href', to ?? '')
      await expectTexts(page, 'main', [
        'Payment Processing',
        'KYC Verification',
        'Crypto Orders',
        'Operational',
        'P2P Integration',
        'Limited',
      ])
      const newest = main.getByRole('list', { name: 'Recent Activity' }).getByRole('listitem')
      await shows('§2 recent activity: the first ten', async () => {
        expect((await activities()).length).toBeGreaterThan(10)
        await expect(newest).toHaveCount(10)
      })
      // Invented: the server sends no unknown status.
      await answerWith(page, /\/recent-activity/, ([one]) => [{ ...(one as object), status: 'on_the_moon' }])
      await page.goto('/admin')
      await expect(newest.getByText('on_the_moon', { exact: true })).toBeVisible()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('customers: while they load, and without a name', async () => {
      // An account that is closed, and whose years of keeping are over, has neither name nor address.
      const email = await signUp(leaver)
      const { id } = await new Caller(leaver).get<{ id: string }>('/api/auth/user')
      await new Caller(leaver).post('/api/account/closure')
      await operator('closable', { email })
      await mailTo(email, /is closed/i)
      await operator('erasable', { user: id })
      await expect
        .poll(async () => (await staff.get<AdminCustomer[]>(`/api/admin/customers?q=${id}`))[0]?.name)
        .toBeNull()
      let answer = () => {}
      const held = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route(/\/api\/admin\/customers(\?.*)?$/, async (route) => {
        await held
        return route.fallback()
      })
      await page.goto(`/admin/customers?q=${id}`)
      await expectTexts(page, 'main', ['Loading customers...'])
      answer()
      const row = page.getByRole('row').filter({ hasText: 'Anonymous' })
      await expect(row.getByText('Anonymous', { exact: true }).first()).toBeVisible()
      await expect(row.getByText('N/A', { exact: true })).toHaveCount(2)
      await expect(page.getByRole('columnheader')).toHaveText([
        'Customer',
        'Email',
        'KYC Status',
        'Volume Tier',
        '30-Day Volume',
        'Country',
        'Actions',
      ])
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('payments: none found, and two calls that are lost', async () => {
      await page.goto('/admin/payments?status=all&method=cash') // sold by no form: it has no payments
      await expectTexts(page, 'main', ['No pending payments found'])
      await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      const held = await order(customer, 'card')
      await authorised(customer, staff, held)
      const payments = new AdminPaymentsPage(page)
      await payments.open('?status=pending')
      await lose(page, '/process')
      await payments.process(held.reference)
      await expectToast(page, 'Processing Failed', 'Failed to process payment. Please try again.')
      await payments.open('?status=pending')
      await lose(page, '/reject')
      await payments.decline(held.reference, 'Another name')
      await expectToast(page, 'Decline Failed', 'Failed to decline payment. Please try again.')
    })

    await crowd.step('orders: none found, none yet, and a fulfilment that is lost', async () => {
      const orders = new AdminOrdersPage(page)
      await orders.open(`?status=all&q=${randomUUID()}`)
      await expectTexts(page, 'main', ['No orders found', 'Try adjusting your filters'])
      await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      const made = await paid(customer, staff)
      await orders.open(`?status=all&q=${made.id}`)
      await expect(orders.card(made.reference).getByText('Not yet').first()).toBeVisible()
      await lose(page, '/fulfill')
      await orders.fulfill(made.reference)
      await expectToast(page, 'Fulfillment Failed', 'Failed to start fulfillment')
      // Invented: tests share the stack, which is never without orders.
      await answerWith(page, /\/api\/admin\/orders(\?.*)?$/, () => [])
      await page.goto('/admin/orders?status=all')
      await expectTexts(page, 'main', ['No orders found', 'No direct purchase orders yet'])
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('vouchers: an export whose last voucher is voided on its way', async () => {
      const made = await staff.post<{ id: string; batchId: string }>('/api/admin/vouchers', {
        amount: '25',
        currency: 'USD',
      })
      await page.route('**/api/admin/vouchers/export*', async (route) => {
        await staff.post(`/api/admin/vouchers/${made.id}/void`, { reason: 'Made by mistake' })
        await route.fallback()
      })
      await page.goto(`/admin/vouchers/batches/${made.batchId}`)
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await expectToast(page, 'No Vouchers', 'Generate some vouchers first')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('who loses the role here is told, and is on the start page after a second', async () => {
      // Invented: revoking a role ends the person's sessions, and a pending call then leads to the sign-in
      // instead.
      await page.route('**/api/auth/user', async (route) => {
        const response = await route.fetch()
        return route.fulfill({ response, json: { ...(await response.json()), isAdmin: false } })
      })
      const told = expectToast(page, 'Access Denied', 'Admin access required. Redirecting...')
      await page.evaluate(() =>
        window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
      )
      await told
      await shows('§2 who loses the role is on the start page after a second', expect(page).toHaveURL(/\/$/))
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })
  },
)
