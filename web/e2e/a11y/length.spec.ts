import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoViolation, wear } from '../fixtures/accessible'
import { test as crowd } from '../fixtures/crowd'
import { expectFits } from '../fixtures/fits'
import { Caller, order } from '../fixtures/orders'
import { signUp, verifyIdentity } from '../fixtures/people'
import { answerWith } from '../fixtures/said'
import { expect, test } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'

const ROWS = 500
const looks = [
  { width: 320, theme: 'light' },
  { width: 1280, theme: 'dark' },
] as const

type Look = (typeof looks)[number]

async function open(page: Page, path: string, { width, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.goto(path)
}

async function look(page: Page, path: string, settled: () => Promise<void>): Promise<void> {
  for (const one of looks) {
    await open(page, path, one)
    await settled()
    await expectFits(page, `${path} at ${one.width} px`)
    await expectNoViolation(page, `${path} ${one.theme} ${one.width}`)
  }
}

/** More rows than a user will load, each like the first. */
function manyOf(rows: { id: string | number }[]): unknown[] {
  return Array.from({ length: ROWS }, (_, at) => ({
    ...rows[0],
    id:
      typeof rows[0]?.id === 'number'
        ? at + 1
        : `${String(rows[0]?.id).slice(0, -4)}${String(at).padStart(4, '0')}`,
  }))
}

crowd('lists of 500 rows are accessible and fit, narrow and wide', async ({ customer, staff }) => {
  await order(customer, 'zelle')
  for (const [at, { who, path, url }] of [
    { who: customer, path: '/orders', url: /\/api\/orders(\?.*)?$/ },
    { who: customer, path: '/transactions', url: /\/api\/transactions(\?.*)?$/ },
    { who: staff, path: '/admin/orders?status=all', url: /\/api\/admin\/orders(\?.*)?$/ },
    { who: staff, path: '/admin/customers', url: /\/api\/admin\/customers(\?.*)?$/ },
    { who: staff, path: '/admin/payments', url: /\/api\/admin\/payments\/pending(\?.*)?$/ },
    { who: staff, path: '/admin/audit', url: /\/api\/admin\/audit(\?.*)?$/ },
  ].entries())
    await crowd.step(path, async () => {
      // A tab for each: one that has five hundred rows leaves them slowly.
      const page = await who.page.context().newPage()
      await answerWith(page, url, manyOf)
      const [narrow, wide] = at % 2 ? [...looks].reverse() : looks
      await open(page, path, narrow as Look)
      const rows = page.getByRole('main').locator('article, tbody tr, li')
      await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(ROWS)
      await expectFits(page, `${path} at ${narrow?.width} px`)
      await expectNoViolation(page, path, 'all but colours')
      await page.setViewportSize({ width: wide?.width ?? 0, height: 900 })
      await expectFits(page, `${path} at ${wide?.width} px`)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.close()
    })
})

test('names of 60 letters and a long address fit wherever they stand', async ({ page, admin }) => {
  const given = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewis'
  const family = 'Featherstonehaughcholmondeleymarjoribankswriothesleymainwari'
  const email = `${'long.'.repeat(8)}${randomUUID().slice(0, 8)}@a-mail-house-with-a-rather-long-name.example.com`
  expect([given.length, family.length]).toEqual([60, 60])
  await signUp(page, email, { given, family })
  await verifyIdentity(page)
  const { id } = await order(new Caller(page), 'zelle')
  const ticket = await openTicket(page, 'Where is my coin?')
  const { id: person } = await (await page.request.get('/api/auth/user')).json()
  const shown = (on: Page) => async () => {
    await expect(on.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(on.getByText('Loading…')).toHaveCount(0)
  }
  for (const path of ['/dashboard', '/settings/profile', `/orders/${id}`, `/support/${ticket}`])
    await look(page, path, async () => {
      await shown(page)()
      const menu = page.locator('summary').filter({ visible: true }).first()
      await menu.click()
      await expectFits(page, `${path} with its menu`)
      await menu.click()
    })
  for (const path of [
    `/admin/customers?q=${encodeURIComponent(email)}`,
    `/admin/customers/${person}`,
    `/admin/orders/${id}`,
    `/admin/support/${ticket}`,
  ])
    await look(admin.page, path, async () => {
      await shown(admin.page)()
      await expect(admin.page.getByText(email).filter({ visible: true }).first()).toBeVisible()
    })
  await look(admin.page, `/admin/orders?q=${id}`, async () => {
    await shown(admin.page)()
    const whose = admin.page.getByRole('main').getByText(`${given} ${family}`, { exact: false })
    await expect(whose.filter({ visible: true }).first()).toBeVisible()
  })
})

test('the word about the connection is accessible and fits at every width, in both themes', async ({
  page,
}) => {
  await signUp(page)
  await page.goto('/orders')
  await expect(page.getByText('No orders yet')).toBeVisible()
  await page.route('**/api/**', (route) => route.abort('connectionrefused'))
  await page.evaluate(() => window.dispatchEvent(new Event('offline')))
  const banner = page.getByText('We can’t reach the server.', { exact: false })
  await expect(banner).toBeVisible()
  for (const theme of ['light', 'dark'] as const)
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await wear(page, theme)
      await expect(banner).toBeInViewport()
      await expectFits(page, `the banner, ${theme}, ${width} px`)
      await expectNoViolation(page, `${theme} ${width}`)
    }
})
