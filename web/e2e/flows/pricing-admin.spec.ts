import type { Page } from '@playwright/test'
import type { LocationPricing, MethodPricing } from '../../src/api/types.gen'
import { expectNoViolation } from '../fixtures/accessible'
import { fillPurchase, showAllMethods } from '../fixtures/buying'
import { shows } from '../fixtures/expect'
import { verifiedCustomer } from '../fixtures/people'
import { siteUrl } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

// The prices are shared: what is changed here is a method and a country that no other flow uses.
test.describe.configure({ mode: 'serial' })

// However a test ended: Revolut costs what it did, everywhere, and no country has a price of its own.
test.afterEach(async ({ admin }) => {
  const { request } = admin.page
  const ask = async (path: string) => (await request.get(path)).json()
  const headers = { origin: siteUrl }
  const methods: MethodPricing[] = await ask('/api/admin/pricing/payment-methods')
  for (const method of methods) {
    const { id, baseMarginPercent, processingFee, minOrderAmount, isEnabled, countries } = method
    const asBefore = Number(baseMarginPercent) === 2 && countries.length === 0
    if (method.paymentMethod !== 'revolut' || asBefore) continue
    const data = { baseMarginPercent: '2', processingFee, minOrderAmount, isEnabled, countries: [] }
    expect(await request.patch(`/api/admin/pricing/payment-methods/${id}`, { headers, data })).toBeOK()
  }
  const { locations }: LocationPricing = await ask('/api/admin/pricing/locations')
  for (const { id } of locations ?? [])
    expect(await request.post(`/api/admin/pricing/locations/${id}/remove`, { headers, data: {} })).toBeOK()
})

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** A price of what Revolut pays. */
const quoted = (page: Page) =>
  page.request.post('/api/orders/calculate-pricing', {
    data: { asset: 'USDC', amountAsset: '200', paymentMethod: 'revolut' },
    headers: { origin: siteUrl },
  })

/** The total of the price that /buy shows now. */
async function total(page: Page): Promise<number> {
  const price = await (await quoted(page)).json()
  return Math.round((Number(price.paymentMethodFee) / Number(price.basePrice)) * 1000) / 10
}

test('a change of pricing: tried while typing, saved, seen by a customer at once, kept with who made it', async ({
  page,
  admin,
}) => {
  await verifiedCustomer(page)
  const before = await total(page)
  await admin.page.goto('/admin/pricing')
  const revolut = card(admin.page, 'Revolut')

  await test.step('specification §2: a card per method, with its fields', async () => {
    for (const label of ['Base margin (%)', 'Processing fee ($)', 'Minimum order ($)', 'Description'])
      await expect(revolut.getByLabel(label)).toBeVisible()
    await expect(card(admin.page, 'Account balance').getByLabel('Maximum order ($)')).toHaveAttribute(
      'placeholder',
      'No limit',
    )
    await shows(
      '§5 pricing form: numbers by 0.01',
      expect(revolut.getByLabel('Base margin (%)')).toHaveAttribute('step', '0.01'),
    )
    await expectNoViolation(admin.page, 'payment methods')
  })

  await test.step('the server says what $100 would cost, and changes nothing', async () => {
    await revolut.getByLabel('Base margin (%)').fill('7')
    await expect(revolut.getByText('$107.00')).toBeVisible()
    await expect(revolut.getByText('$102.00')).toBeVisible()
    expect(await total(page)).toBe(before)
    await revolut.getByLabel('Base margin (%)').fill('0.1')
    await expect(revolut.getByText(/the exchange takes/)).toBeVisible()
    await revolut.getByLabel('Base margin (%)').fill('7')
  })

  await test.step('what is not saved is not left by a click beside', async () => {
    await admin.page.getByRole('tab', { name: 'Volume tiers' }).click()
    const ask = admin.page.getByRole('dialog', { name: 'Leave without saving?' })
    await ask.getByRole('button', { name: 'Stay' }).click()
    await expect(revolut.getByLabel('Base margin (%)')).toHaveValue('7')
  })

  await test.step('saved, it is the price of the next question', async () => {
    await revolut.getByLabel('Reason (optional)').fill('Revolut became dearer')
    await revolut.getByRole('button', { name: 'Save Revolut' }).click()
    await expect(admin.page.getByText('Payment Method Updated').first()).toBeVisible()
    await expect(
      admin.page.getByText('Pricing configuration has been updated successfully').first(),
    ).toBeVisible()
    expect(await total(page)).toBe(7)
    await fillPurchase(page, {
      asset: 'USDC',
      amount: '207', // 7 % of it begins with $14, wherever about a dollar the coin stands
      method: 'Revolut',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    })
    await expect(page.getByText('$14.', { exact: false }).first()).toBeVisible()
  })

  await test.step('a second admin is told who was faster; the history says it all', async () => {
    const id = await revolut.locator('form input').first().getAttribute('id')
    const late = await admin.page.request.patch(
      `/api/admin/pricing/payment-methods/${id?.replace('-baseMarginPercent', '')}`,
      {
        headers: { origin: siteUrl },
        data: {
          baseMarginPercent: '3',
          processingFee: '0',
          minOrderAmount: '50',
          isEnabled: true,
          version: 1,
        },
      },
    )
    expect(late.status()).toBe(409)
    expect((await late.json()).message).toContain('alice@example.com changed this on ')
    const changes = admin.page.getByRole('listitem').filter({ hasText: 'Revolut became dearer' }).first()
    await expect(changes).toContainText('Base margin (%): 2 → 7')
    await expect(changes).toContainText('by alice@example.com')
  })

  await revolut.getByLabel('Base margin (%)').fill('2')
  await revolut.getByRole('button', { name: 'Save Revolut' }).click()
  await expect.poll(() => total(page)).toBe(before)
})

/** Revolut among the public prices, where it is not in this installation. */
async function listed(page: Page) {
  await page.route('**/api/public/prices', async (route) => {
    const response = await route.fetch()
    const prices = await response.json()
    prices.paymentMethods.push({ ...prices.paymentMethods[0], method: 'revolut' })
    await route.fulfill({ response, json: prices })
  })
  await page.goto(`${siteUrl}/pricing`)
  return page.getByRole('listitem').filter({ hasText: 'Platform fee' }).filter({ hasText: 'Revolut' })
}

test('a method for customers of another country is hidden, and disabled among the prices', async ({
  page,
  admin,
  browser,
}) => {
  await verifiedCustomer(page) // of the United States
  await admin.page.goto('/admin/pricing')
  const revolut = card(admin.page, 'Revolut')
  const offerIn = async (country: string) => {
    await revolut.getByLabel('Add a country Revolut').selectOption({ label: country })
    await revolut.getByLabel('Reason (optional)').fill(`Licensed in ${country}`)
    await revolut.getByRole('button', { name: 'Save Revolut' }).click()
    const changes = admin.page
      .getByRole('listitem')
      .filter({ hasText: `Licensed in ${country}` })
      .first()
    await expect(changes).toContainText('Offered in: ')
    return changes
  }
  await revolut.getByRole('button', { name: 'Choose countries Revolut' }).click()
  await expect(revolut.getByLabel('Add a country Revolut')).toBeVisible()
  await expectNoViolation(admin.page, 'the countries of a method')
  await expect(await offerIn('Iceland')).toContainText('All countries → Iceland')

  const refused = await quoted(page)
  expect(refused.status()).toBe(422)
  expect(await refused.json()).toMatchObject({
    code: 'method_not_in_country',
    field: 'paymentMethod',
    message: 'This payment method is not available in your country. Choose another one.',
  })
  const ways = (name: string) => page.getByRole('radio', { name })
  await page.goto('/buy')
  await showAllMethods(page)
  await expect(ways('Chime')).toHaveCount(1)
  await expect(ways('Revolut')).toHaveCount(0)
  await expect(await listed(page)).toContainText('Disabled')
  const visitor = await browser.newPage()
  await expect(await listed(visitor)).toContainText('Active')
  await visitor.close()

  await expect(await offerIn('United States')).toContainText('Iceland → Iceland, United States')
  await page.goto('/buy')
  await showAllMethods(page)
  await expect(ways('Revolut')).toHaveCount(1)
  await expect(await listed(page)).toContainText('Active')
})

test('a change that fails is told in the words of the specification', async ({ admin }) => {
  await admin.page.goto('/admin/pricing')
  const chime = card(admin.page, 'Chime')
  await admin.page.route('**/api/admin/pricing/payment-methods/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await chime.getByLabel('Description').fill('Something else')
  await chime.getByRole('button', { name: 'Save Chime' }).click()
  await expect(admin.page.getByText('Update Failed').first()).toBeVisible()
  await expect(admin.page.getByText('Failed to update pricing configuration').first()).toBeVisible()
  await chime.getByRole('button', { name: 'Discard' }).click()
  for (const [path, text] of [
    ['payment-methods', 'Failed to fetch payment methods'],
    ['volume-tiers', 'Failed to fetch volume tiers'],
    ['kyc', 'Failed to fetch KYC pricing'],
  ]) {
    await admin.page.route(`**/api/admin/pricing/${path}`, (route) =>
      route.fulfill({ status: 500, json: {} }),
    )
    await admin.page.goto(`/admin/pricing?tab=${path === 'kyc' ? 'kyc-levels' : path}`)
    await expect(admin.page.getByText(text ?? '')).toBeVisible()
  }
})

test('tiers and levels are read, and no limit is Unlimited', async ({ admin }) => {
  await admin.page.goto('/admin/pricing?tab=volume-tiers')
  await expect(admin.page.getByRole('table', { name: 'Volume tiers' })).toContainText('platinum')
  await expectNoViolation(admin.page, 'volume tiers')
  await admin.page.getByRole('tab', { name: 'KYC levels' }).click()
  await expect(admin.page).toHaveURL(/tab=kyc-levels/)
  await expect(admin.page.getByRole('table', { name: 'KYC levels' })).toContainText('Unlimited')
  await shows('§2 tiers and levels are read only', expect(admin.page.getByRole('textbox')).toHaveCount(0))
  await expectNoViolation(admin.page, 'KYC levels')
})

test('a country gets a price of its own, is blocked, and is as all others again', async ({ admin }) => {
  await admin.page.goto('/admin/pricing?tab=locations')
  await expect(admin.page.getByText('No location-specific pricing configured')).toBeVisible()
  const add = admin.page.getByRole('button', { name: 'Add Country Pricing' })
  await expect(add).toBeVisible()
  await add.click()
  const dialog = admin.page.getByRole('dialog', { name: 'Country pricing' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert').filter({ hasText: 'Choose a country' })).toBeVisible()
  await dialog.getByLabel('Country', { exact: true }).selectOption({ label: 'Iceland' })
  await dialog.getByLabel('Added to the margin (%)').fill('1.25')
  await expectNoViolation(admin.page, 'the form')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = admin.page.getByRole('listitem').filter({ hasText: 'Iceland' }).first()
  await expect(row).toContainText('1.25 % added')
  await expectNoViolation(admin.page, 'locations')
  await admin.page.getByRole('button', { name: 'Edit Iceland' }).click()
  await admin.page.getByLabel('Block orders from this country').click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Blocked')
  await admin.page.getByRole('button', { name: 'Remove Iceland' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(admin.page.getByText('No location-specific pricing configured')).toBeVisible()
  await expect(admin.page.getByRole('listitem').filter({ hasText: 'Removed' }).first()).toContainText(
    'Iceland',
  )
})
