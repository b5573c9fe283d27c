import type { Page } from '@playwright/test'
import type { AdminCustomer, AdminOrder, PendingPayment, Withdrawal } from '../../src/api/types.gen'
import { test as crowd } from '../fixtures/crowd'
import { order } from '../fixtures/orders'
import { isLive } from '../fixtures/people'
import { answerWith, expectToast, lose } from '../fixtures/said'
import { expect, test } from '../fixtures/test'

/*
 * What SPEC lists and no longer story comes by: spec-table.ts says which story shows the rest. What a screen says of
 * rows that are not there, or of a state that takes hours, is shown by an answer that the test makes of a real one.
 */

/** Each of these stands in a part of the page, letter by letter. */
async function expectTexts(page: Page, part: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) await expect(page.locator(part).getByText(text).first(), text).toBeVisible()
}

test('a visitor reads SPEC’s header, footer, landing page, claims and legal texts', async ({ page }) => {
  await page.goto('/')
  const header = page.getByRole('banner')
  for (const name of ['Home', 'Features', 'How It Works', 'Support', 'Sign In', 'Get Started'])
    await expect(header.getByRole('link', { name, exact: true }).first()).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Get Started' }).first()).toBeVisible()
  await expectTexts(page, 'main', [
    'Create a free account',
    'Choose a payment method',
    'Get crypto in your wallet',
    'gift cards',
    'Global money transfers',
    'Start with $25 in Bitcoin',
  ])
  for (const name of ['Card', 'ACH', 'Wire', 'Cash'])
    await expect(page.getByRole('heading', { level: 3, name, exact: true })).toBeVisible()
  await expectTexts(page, 'main', ['3.5% fee', '1.5% fee'])
  await page.getByText('How long does verification take?').click()
  await expectTexts(page, 'main', ['5-15 minutes'])

  const footer = page.getByRole('contentinfo')
  const ways = await footer
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(ways).toEqual([
    '/',
    '/buy',
    '/wallet',
    '/transactions',
    '/kyc',
    '/dashboard',
    '/pricing',
    '/about',
    '/about#contact',
    '/referral',
    '/privacy',
    '/terms',
  ])
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
    'AML/KYC',
    'SSL',
    'PCI DSS',
    'CCPA',
    'Crypto assets are volatile',
  ])
  await page.goto('/terms')
  await expectTexts(page, 'main', ['18+', 'KYC', 'up to 7 years for compliance'])
  await page.goto('/privacy')
  await expectTexts(page, 'main', ['18+', 'KYC', 'compliance are kept for up to 7 years'])
  for (const right of ['Access', 'Correction', 'Deletion', 'Portability', 'Opt-out', 'Restriction'])
    await expectTexts(page, 'main', [`${right}:`])
})

crowd(
  'a customer’s screens say what SPEC lists: choices, limits, waits, and nothing yet',
  async ({ customer }) => {
    crowd.setTimeout(120_000)
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
      for (const [name, to] of [
        ['Buy Crypto', '/buy'],
        ['Wallet', '/wallet'],
        ['Transactions', '/transactions'],
        ['Verification', '/kyc'],
        ['Dashboard', '/dashboard'],
        ['Logout', '/api/logout'],
      ])
        await expect(
          page.getByRole('banner').getByRole('link', { name, exact: true }).first(),
        ).toHaveAttribute('href', to ?? '')
      await expect(page.getByRole('banner').getByText('Casey').first()).toBeVisible()
    })

    await crowd.step('the cards of the dashboard', async () => {
      const swap = page.locator('#crypto-swap')
      await expect(swap.getByLabel('Amount in USD')).toHaveAttribute('step', '0.01')
      expect(await options('Asset', '#crypto-swap')).toEqual([
        'BTC · Bitcoin',
        'ETH · Ethereum',
        'USDT · Tether',
        'USDC · USD Coin',
      ])
      await expect(swap.getByLabel('Asset')).toHaveValue('BTC')
      expect(
        await swap
          .getByLabel('Payment method')
          .locator('option')
          .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value)),
      ).toEqual(['card', 'ach', 'wire', 'cash'])
      const cards = page.locator('#gift-cards')
      await expect // the list is made in small pieces, after the page stands
        .poll(async () => (await options('Brand', '#gift-cards')).length)
        .toBeGreaterThan(145)
      for (const prepaid of ['Visa', 'Mastercard', 'American Express', 'Vanilla Visa', 'OneVanilla']) {
        await cards.getByLabel('Brand').selectOption({ label: prepaid })
        await expect(cards.getByLabel('PIN')).toHaveCount(0)
      }
      for (const [label, most] of [
        ['Card number', '19'],
        ['Expiration date', '5'],
        ['Security code', '4'],
      ])
        await expect(cards.getByLabel(label ?? '')).toHaveAttribute('maxlength', most ?? '')
      await expect(cards.locator('input[type=file]')).toHaveAttribute('multiple', '')
      await expectTexts(page, '#voucher-redemption', ['10-30 minutes'])
      await expectTexts(page, '#support', ['2 minutes'])
    })

    await crowd.step('identity: under review, not verified', async () => {
      let standing = 'pending'
      await page.route('**/api/kyc/status', async (route) => {
        const response = await route.fetch()
        const json = { ...(await response.json()), status: standing, level: 'none', attempt: undefined }
        return route.fulfill({ response, json })
      })
      await page.goto('/dashboard')
      await expectTexts(page, 'main', [
        'Under Review',
        'Your documents are being reviewed. Usually takes 5-15 minutes.',
      ])
      await expect(page.getByRole('main').getByRole('link', { name: 'Start Verification' })).toHaveCount(0)
      await page.goto('/kyc')
      await expectTexts(page, 'main', ['Review in progress'])
      standing = 'not_started'
      await page.goto('/dashboard')
      await expectTexts(page, 'main', [
        'Not Verified',
        'Verify your identity to unlock higher trading limits.',
      ])
      await page.unroute('**/api/kyc/status')
    })

    await crowd.step('buy: a price on its way, and the three notes', async () => {
      await page.goto('/buy')
      await expectTexts(page, 'main', ['Secure payments', 'Fast delivery', 'Best rates'])
      await page.route('**/api/orders/calculate-pricing', () => undefined)
      await page.getByLabel('Amount in BTC').fill('0.002')
      await expectTexts(page, 'main', ['Calculating price...'])
      await page.unroute('**/api/orders/calculate-pricing')
    })

    await crowd.step(
      'orders and wallet: nothing yet, and five withdrawals by sixteen characters',
      async () => {
        await answerWith(page, /\/api\/orders(\?.*)?$/, () => [])
        await page.goto('/orders')
        for (const name of ['New Order', 'Buy Crypto Now'])
          await expect(page.getByRole('main').getByRole('link', { name })).toHaveAttribute('href', '/buy')
        const txid = 'ab12'.repeat(16)
        await answerWith<Withdrawal>(page, /\/api\/withdrawals/, () =>
          Array.from({ length: 6 }, (_, at) => ({
            id: `w${at}`,
            orderId: `o${at}`,
            cryptoCurrency: 'BTC',
            amount: '0.00200000',
            walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
            txid,
            status: 'completed',
            createdAt: new Date().toISOString(),
          })),
        )
        await page.goto('/wallet')
        await expectTexts(page, 'main', [
          'Total Orders',
          'Total Spent',
          'Pending Orders',
          'No completed orders yet.',
        ])
        await expect(page.getByText(txid.slice(0, 16), { exact: true })).toHaveCount(5)
        const main = page.getByRole('main')
        await expect(main.getByRole('link', { name: 'View All' })).toHaveAttribute('href', '/transactions')
        await expect(main.getByRole('link', { name: 'Buy Crypto' })).toHaveAttribute('href', '/buy')
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      },
    )

    await crowd.step('transactions, referrals and the second factor', async () => {
      await order(customer, 'zelle')
      await page.goto('/transactions')
      await expect(page.getByRole('columnheader').first()).toBeVisible()
      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
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
      await expect(recent.getByRole('columnheader')).toHaveText([
        'Type',
        'From',
        'To',
        'Amount',
        'Status',
        'Date',
      ])
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
      await page.goto('/settings/2fa')
      await page.getByRole('button', { name: 'Set up' }).click()
      await expect(page.getByLabel('Verification code')).toHaveAttribute('maxlength', '6')
    })
  },
)

crowd(
  'the back office says what SPEC lists: its ways, nothing found, what failed, and a lost role',
  async ({ customer, staff: { page } }) => {
    crowd.setTimeout(120_000)
    await order(customer, 'zelle')

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
      await expectTexts(page, 'main', [
        'Payment Processing',
        'KYC Verification',
        'Crypto Orders',
        'Operational',
        'P2P Integration',
        'Limited',
      ])
      await answerWith(page, /\/recent-activity/, ([one]) =>
        Array.from({ length: 12 }, (_, at) => ({
          ...(one as object),
          id: `a${at}`,
          description: `Something ${at}`,
          status: at === 0 ? 'on_the_moon' : 'completed',
        })),
      )
      await page.goto('/admin')
      await expect(main.getByText(/^Something \d+$/)).toHaveCount(10)
      await expect(main.getByText('on the moon')).toBeVisible()
    })

    await crowd.step('customers: while they load, and without a name', async () => {
      let answer = () => {}
      const held = new Promise<void>((resolve) => {
        answer = resolve
      })
      await answerWith<AdminCustomer>(page, /\/api\/admin\/customers(\?.*)?$/, ([one]) => [
        { ...(one as AdminCustomer), name: null, email: '', countryCode: null, volumeTier: 'bronze' },
      ])
      await page.route(/\/api\/admin\/customers(\?.*)?$/, async (route) => {
        await held
        return route.fallback()
      })
      await page.goto('/admin/customers')
      await expectTexts(page, 'main', ['Loading customers...'])
      answer()
      const row = page.getByRole('row').filter({ hasText: 'Anonymous' })
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
      const list = /\/api\/admin\/payments\/pending/
      await answerWith(page, list, () => [])
      await page.goto('/admin/payments')
      await expectTexts(page, 'main', ['No pending payments found'])
      await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await answerWith<PendingPayment>(page, list, ([one]) => [
        {
          ...(one as PendingPayment),
          adminApprovalStatus: 'pending',
          stripePaymentIntentId: 'pi_lost',
          actions: ['process', 'decline'],
        } as PendingPayment,
      ])
      await page.goto('/admin/payments')
      const dialog = page.getByRole('dialog')
      await lose(page, '/process')
      await page.getByRole('article').getByRole('button', { name: 'Process' }).click()
      await dialog.getByRole('button', { name: 'Process' }).click()
      await expectToast(page, 'Processing Failed', 'Failed to process payment. Please try again.')
      await page.goto('/admin/payments')
      await lose(page, '/reject')
      await page.getByRole('article').getByRole('button', { name: 'Decline' }).click()
      await dialog.getByLabel('Reason').fill('Another name')
      await dialog.getByRole('button', { name: 'Decline payment' }).click()
      await expectToast(page, 'Decline Failed', 'Failed to decline payment. Please try again.')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('orders: none yet, and a fulfilment that is lost', async () => {
      const list = /\/api\/admin\/orders(\?.*)?$/
      await answerWith(page, list, () => [])
      await page.goto('/admin/orders')
      await expectTexts(page, 'main', ['No orders found', 'No direct purchase orders yet'])
      await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await answerWith<AdminOrder>(page, list, ([one]) => [
        { ...(one as AdminOrder), status: 'payment_approved', actions: ['fulfill'] } as AdminOrder,
      ])
      await page.goto('/admin/orders')
      await expect(page.getByText('Not yet').first()).toBeVisible()
      await lose(page, '/fulfill')
      await page.getByRole('article').getByRole('button', { name: 'Fulfill' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Fulfill' }).click()
      await expectToast(page, 'Fulfillment Failed', 'Failed to start fulfillment')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('vouchers: an export with nothing in it', async () => {
      await page.route('**/api/admin/vouchers/export*', (route) =>
        route.fulfill({ status: 404, contentType: 'application/json', body: '{"code":"no_vouchers"}' }),
      )
      await page.goto('/admin/vouchers')
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await expectToast(page, 'No Vouchers', 'Generate some vouchers first')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })

    await crowd.step('who loses the role here is told, and is on the start page after a second', async () => {
      await page.route('**/api/auth/user', async (route) => {
        const response = await route.fetch()
        return route.fulfill({ response, json: { ...(await response.json()), isAdmin: false } })
      })
      await page.evaluate(() =>
        window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
      )
      await expectToast(page, 'Access Denied', 'Admin access required. Redirecting...')
      await expect(page).toHaveURL(/\/$/)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })
  },
)
