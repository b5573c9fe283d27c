import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from '@playwright/test'
import type { ReconciliationBreak, Treasury, TreasuryMove } from '../../src/api/types.gen'
import { askPayout, earn } from '../fixtures/balance'
import { placeOrder } from '../fixtures/buying'
import { expectFits } from '../fixtures/fits'
import { sellGiftCard } from '../fixtures/gift-cards'
import { Caller } from '../fixtures/orders'
import { signIn, verifiedCustomer } from '../fixtures/people'
import { simulator, siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'

// Five times the whole of a page, and axe reads every row of it.
test.describe.configure({ timeout: 180_000 })

const looks = [
  { theme: 'light', width: 390 },
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 390 },
  { theme: 'dark', width: 1280 },
] as const

/** Every screen, in each look: no axe violation, one h1, nothing wider than the window. */
async function inspect(page: Page, path: string): Promise<void> {
  for (const { theme, width } of looks) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    await page.goto(path)
    await settled(page)
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`,
    )
    expect(found, `${path} ${theme} ${width}`).toEqual([])
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expectFits(page, `${path} ${theme} ${width}`)
  }
  await page.setViewportSize({ width: 320, height: 700 })
  await expectFits(page, `${path} at 320 px`)
}

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Loading…')).toHaveCount(0)
}

const open = ['/', '/pricing', '/about', '/terms', '/privacy', '/referral', '/test', '/nowhere']

const own = [
  '/',
  '/buy',
  '/orders',
  '/wallet',
  '/balance',
  '/transactions',
  '/kyc',
  '/referral',
  '/orders/{order}',
  '/orders/{order}/receipt',
  '/gift-cards',
  '/vouchers',
  '/settings/2fa',
  '/settings/security',
  '/gift-cards/{card}',
  '/payouts/new',
  '/payouts/{payout}',
  '/support',
  '/support/{ticket}',
  '/settings',
  '/settings/profile',
  '/settings/payouts',
  '/settings/notifications',
  '/settings/privacy',
]

for (const path of open) {
  test(`a visitor's ${path}`, async ({ page }) => {
    await inspect(page, path)
  })
}

test.describe('signed in', () => {
  let state: Awaited<ReturnType<typeof signedInState>>
  test.beforeAll(async ({ browser }) => {
    state = await signedInState(browser)
  })

  for (const path of own) {
    test(`a customer's ${path}`, async ({ page, context }) => {
      await context.addCookies(state.customer)
      await inspect(page, filled(path, state))
    })
  }

  test('all of it in Spanish, 320 px wide', async ({ browser }) => {
    const context = await browser.newContext({ locale: 'es-MX', viewport: { width: 320, height: 700 } })
    const page = await context.newPage()
    const look = async (path: string) => {
      await page.goto(path)
      await expect(page.locator('html')).toHaveAttribute('lang', 'es')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText('Cargando…')).toHaveCount(0)
      await expectFits(page, `${path} in Spanish`)
      expect((await new AxeBuilder({ page }).analyze()).violations, `${path} in Spanish`).toEqual([])
    }
    for (const path of open) await look(path)
    await context.addCookies(state.customer)
    await context.addCookies([{ name: 'lang', value: 'es', url: siteUrl }])
    for (const path of own) await look(filled(path, state))
    await context.close()
  })

  const admins = [
    '/admin',
    '/admin/payments',
    '/admin/orders',
    '/admin/orders/{order}',
    '/admin/gift-cards',
    '/admin/gift-cards/{card}',
    '/admin/payouts',
    '/admin/payouts/{payout}',
    '/admin/kyc',
    '/admin/customers',
    '/admin/customers/{person}',
    '/admin/referrals',
    '/admin/vouchers',
    '/admin/vouchers/batches',
    '/admin/vouchers/batches/{batch}',
    '/admin/kyc/{person}',
    '/admin/support',
    '/admin/support/{ticket}',
    '/admin/security',
    '/admin/team',
    '/admin/pricing',
    '/admin/risk',
    '/admin/switches',
    '/admin/transactions',
    '/admin/treasury',
    '/admin/treasury/{move}',
    '/admin/ledger',
    '/admin/ledger/postings',
    '/admin/ledger/journal',
    '/admin/money',
    '/admin/closed-credits',
    '/admin/audit',
    '/admin/reconciliation',
    '/admin/reconciliation/{found}',
    '/admin/legacy',
    '/admin/pricing?tab=locations',
  ]
  for (const path of admins) {
    test(`an admin's ${path}`, async ({ page, context }) => {
      await context.addCookies(state.admin)
      await inspect(page, filled(path, state))
    })
  }

  test('the open dialogs and the mobile menu', async ({ page, context }) => {
    await context.addCookies(state.admin)
    for (const { theme, width } of looks) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/admin/payments')
      await page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click()
      await expect(page.getByRole('dialog')).toBeVisible()
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
      await page.keyboard.press('Escape')
      // The list goes on living: the one that opened it need not be the first any more.
      await expect(page.locator('button:focus')).toHaveAccessibleName(/^Details/)
    }
    await page.setViewportSize({ width: 390, height: 900 })
    await page.goto('/orders')
    await page.getByLabel('Menu', { exact: true }).click()
    await expect(page.getByRole('link', { name: 'Wallet' }).first()).toBeVisible()
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/orders')
    await page.locator('summary', { hasText: 'Account menu' }).click()
    await expect(page.getByRole('link', { name: 'Settings', exact: true })).toBeVisible()
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  })
})

/** A path with the ids of what was made for it. */
function filled(path: string, state: Record<string, unknown>): string {
  return path.replace(/\{(\w+)}/g, (_, name: string) => String(state[name]))
}

async function signedInState(browser: Browser) {
  const one = await browser.newContext()
  const page = await one.newPage()
  await verifiedCustomer(page)
  const order = await placeOrder(page)
  const card = await sellGiftCard(page, { value: '50' })
  const ticket = await openTicket(page, 'Where is my coin?')
  const { id: person } = await (await page.request.get('/api/auth/user')).json()
  const two = await browser.newContext()
  const staff = await two.newPage()
  await signIn(staff, 'bob@example.com')
  await earn(page, staff, '100')
  const payout = await askPayout(page, { amount: '20' })
  await staff.goto('/admin/vouchers')
  await staff.getByRole('button', { name: 'Generate' }).click()
  await expect(staff.getByRole('region', { name: 'Just generated' })).toBeVisible()
  const [{ batchId: batch }] = await (await staff.request.get('/api/admin/vouchers?limit=1')).json()
  const finance = new Caller(staff)
  const move = await waitingMove(finance)
  const found = await openBreak(finance)
  const customer = await one.cookies()
  const admin = await two.cookies()
  await one.close()
  await two.close()
  return { customer, admin, order, card, ticket, payout, person, batch, move, found }
}

/** A move of coin that waits for a second person: one that is there, or a new one to a wallet that no other test fills. */
async function waitingMove(staff: Caller): Promise<string> {
  const [waiting] = await staff.get<TreasuryMove[]>('/api/admin/treasury/moves?status=proposed')
  if (waiting) return waiting.id
  const { wallets } = await staff.get<Treasury>('/api/admin/treasury')
  const wallet = wallets.find(({ asset, low }) => asset !== 'ETH' && low !== null)
  const { id } = await staff.post<{ id: string }>('/api/admin/treasury/moves', {
    asset: wallet?.asset,
    network: wallet?.network,
    amount: '0.5',
    reason: 'A big week ahead',
  })
  return id
}

/** A break that nobody has decided: coin that arrived and that nobody here sent. */
async function openBreak(staff: Caller): Promise<string> {
  const open = () => staff.get<ReconciliationBreak[]>('/api/admin/reconciliation/breaks?holder=bitgo')
  if ((await open()).length === 0) await simulator('bitgo/deposits', { coin: 'btc', amount: '123457' })
  await expect(async () => {
    await staff.post('/api/admin/reconciliation/run')
    expect((await open()).length).toBeGreaterThan(0)
  }).toPass({ timeout: 90_000 })
  return (await open())[0]?.id ?? ''
}
