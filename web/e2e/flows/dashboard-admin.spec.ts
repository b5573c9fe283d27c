import { placeOrder } from '../fixtures/buying'
import { authorised, Caller, order } from '../fixtures/orders'
import { verifiedCustomer } from '../fixtures/people'
import { expect, test } from '../fixtures/test'

test("the admin's dashboard: figures, health, queues, activity, and what it says when calls are lost", async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const customer = new Caller(page)
  await authorised(customer, new Caller(admin.page), await order(customer, 'card'))
  const reference = (
    await (await page.request.get(`/api/orders/${await placeOrder(page, { method: 'Zelle' })}`)).json()
  ).reference

  await test.step('the figures are those of the server, each with what it counts', async () => {
    await admin.page.goto('/admin/dashboard')
    await expect(admin.page.getByRole('heading', { level: 1, name: 'Admin Dashboard' })).toBeVisible()
    const stats = await (await admin.page.request.get('/api/admin/stats')).json()
    for (const name of [
      'Total Users',
      '24h Volume',
      '30d Revenue',
      'Avg Margin',
      'Verified Users',
      'Total Orders',
    ])
      await expect(admin.page.locator('dt').filter({ hasText: name })).toBeVisible()
    const orders = admin.page.locator('dt').filter({ hasText: 'Total Orders' }).locator('..')
    await expect(orders).toContainText(`${stats.completedOrders.toLocaleString('en-US')} completed`)
    await expect(orders).toHaveAttribute('title', /Completed orders have been sent/)
    await expect(admin.page.locator('dt').filter({ hasText: 'Verified Users' }).locator('..')).toContainText(
      '% of all users',
    )
    await expect(admin.page.locator('dt').filter({ hasText: 'Pending Orders' }).locator('..')).toContainText(
      'Requires attention',
    )
    const chart = admin.page.getByRole('figure', { name: 'Volume' })
    await expect(chart).toBeVisible()
    const began = stats.compared.since
    expect(began, 'a platform of today has nothing to compare with').toMatch(/^\d{4}-\d\d-\d\d$/)
    const shown = new Date(`${began}T12:00`).toLocaleDateString('en-US', { dateStyle: 'medium' })
    await expect(chart).toContainText(`Not comparable: figures begin on ${shown}`)
  })

  await test.step('a chart shows the period before, and by how much it differs', async () => {
    await admin.page.route('**/api/admin/stats?*', async (route) => {
      const response = await route.fetch()
      const said = await response.json()
      const of = (steps: { volume: string }[], volume: string) => steps.map((one) => ({ ...one, volume }))
      const compared = { volume: '12.0', revenue: null, margin: '-0.25', minutesToSent: '0.0', since: null }
      const json = { ...said, series: of(said.series, '112.00'), before: of(said.before, '100.00'), compared }
      return route.fulfill({ response, json })
    })
    await admin.page.getByRole('button', { name: '7 days', exact: true }).click()
    const figure = (name: string) => admin.page.getByRole('figure', { name })
    await expect(figure('Volume')).toContainText('+12.0 % on the 7 days before')
    await expect(figure('Revenue')).toContainText('Nothing to compare in the period before')
    await expect(figure('Margin')).toContainText('−0.25 pp on the 7 days before')
    await expect(figure('Volume').locator('rect[data-before]')).toHaveCount(7)
    const cells = figure('Volume').getByRole('row').nth(1).getByRole('cell')
    await expect(cells).toHaveText(['$112.00', '$100.00'])
    await admin.page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  await test.step('health is told with its reason, queues with their age, and activity with its status', async () => {
    const main = admin.page.getByRole('main')
    await expect(main.getByText('P2P Integration')).toBeVisible()
    await expect(main.getByText('Trades between customers are not offered.')).toBeVisible()
    await expect(main.getByRole('listitem').filter({ hasText: /^Kraken answered/ })).toBeVisible()
    await expect(main.getByText(`Order ${reference}:`)).toBeVisible()
    await expect(main.getByText(/^Times are in /)).toBeVisible()
    const item = main.getByRole('listitem').filter({ hasText: reference })
    await expect(item).toContainText('Pending')
    await expect(main.getByRole('listitem').filter({ hasText: 'Payments to decide' })).toContainText('oldest')
    const activity = main.getByRole('list', { name: 'Recent Activity' })
    await activity
      .getByRole('link', { name: /^Order / })
      .first()
      .click()
    await expect(admin.page).toHaveURL(/\/admin\/orders\/[0-9a-f-]{36}$/)
    await admin.page.goBack()
    await main.getByRole('link', { name: 'Payments to decide' }).click()
    await expect(admin.page).toHaveURL(/\/admin\/payments$/)
  })

  await test.step('a lost call is said in its own words, beside what is known', async () => {
    let calls = 0
    await admin.page.route('**/api/admin/stats', (route) => route.abort())
    await admin.page.route('**/api/admin/recent-activity', (route) => {
      calls += 1
      return route.abort()
    })
    await admin.page.goto('/admin')
    await expect(admin.page.getByText('Failed to fetch stats')).toBeVisible()
    await expect(admin.page.getByText('Failed to fetch activity')).toBeVisible()
    await expect(admin.page.getByText('Platform Health')).toBeVisible()

    const banner = admin.page.locator('[data-connection]')
    await banner.evaluate((element) => {
      const changed = () => element.toggleAttribute('data-changed', true)
      new MutationObserver(changed).observe(element, { childList: true })
    })
    const before = calls
    await expect.poll(() => calls - before, 'what was lost is read again').toBeGreaterThan(2)
    await expect(banner, 'the server answers everything else').not.toHaveAttribute('data-changed')
  })
})
