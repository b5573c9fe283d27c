import type { Page } from '@playwright/test'
import { usd } from '../../src/lib/format'
import { attentionTexts } from '../../src/messages/admin-order'
import { misfits } from '../../src/messages/admin-payments'
import { amendTexts, situations } from '../../src/messages/situations'
import { test } from '../fixtures/crowd'
import { order, ownAddress, until } from '../fixtures/orders'
import { password } from '../fixtures/people'
import { cases } from '../fixtures/situations'
import { mailTo, operator } from '../fixtures/stack'
import { expect } from '../fixtures/test'

test('an order that waits for its customer is told of wherever they look', async ({ customer, staff }) => {
  const { page } = customer
  const short = await cases['pending + money_short']?.bring(customer, staff)
  const paidInFull = await order(customer, 'zelle')
  if (!short) throw new Error('no such case')
  const sentence = /Choose how this order continues by .+ left\)/

  await page.goto('/dashboard')
  const all = page
    .getByRole('region', { name: 'Next step' })
    .getByRole('link', { name: /^Action needed on \d+ orders$/ })
  await expect(all).toHaveAttribute('href', '/orders')
  const open = page.getByRole('listitem').filter({ hasText: short.reference })
  await expect(open).toContainText('Action needed')
  await expect(page).toHaveTitle(/^\(\d+\) /)

  await page.goto('/orders')
  const first = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) })
  await expect(first.first()).toContainText('Action needed')
  await expect(first.filter({ hasText: short.reference })).toContainText(sentence)
  await expect(first.filter({ hasText: short.reference })).toContainText('Part of your payment is missing')
  await expect(first.filter({ hasText: paidInFull.reference })).toContainText('Pay for this order')
  await expect(first.filter({ hasText: paidInFull.reference })).toContainText('Not paid yet')
  await expect(
    first.filter({ hasText: paidInFull.reference }).getByRole('link', { name: /^Pay now/ }),
  ).toHaveAttribute('href', `/orders/${paidInFull.id}`)
  await page.getByLabel('Status').selectOption('Action needed')
  await expect(first.filter({ hasText: short.reference })).toHaveCount(1)
  await page.getByLabel('Status').selectOption('Sent')
  await expect(first.filter({ hasText: short.reference })).toHaveCount(0)
  await page.getByLabel('Status').selectOption('All')
  await page.getByLabel('Search').fill(short.reference)
  await expect(page).toHaveURL(new RegExp(`q=${short.reference}`))
  await expect(first).toHaveCount(1)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(first.getByText(short.reference).last()).toBeVisible()
  await expect(first.getByText('Destination address')).toBeHidden()
  const { height = 0 } = (await first.boundingBox()) ?? {}
  expect(height, 'three lines on a phone').toBeLessThan(130)
  await first.getByRole('button', { name: 'Details' }).click()
  await expect(first.getByText('Destination address')).toBeVisible()
  await expect(first.getByText('Domestic wire').last()).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 900 })

  await page.goto('/wallet')
  await expect(page.getByRole('listitem').filter({ hasText: short.reference })).toContainText(sentence)
  await page.goto('/transactions')
  await expect(page.getByRole('row').filter({ hasText: short.reference })).toContainText('Action needed')

  await page.goto(`/orders/${short.id}`)
  await expect(page.getByText('Action needed').first()).toBeVisible()
  for (const stale of ['Payment Pending', 'Waiting for your payment. We confirm it here when it arrives.'])
    await expect(page.getByText(stale)).toHaveCount(0)
  await page.getByText('Details', { exact: true }).click()
  await expect(page.getByText('Order created')).toBeVisible()
  await expect(page.getByText(/^Times are in /)).toBeVisible()
})

test('money that came in part is said in the queues, on a phone as on a desktop', async ({
  customer,
  staff,
}) => {
  const { page } = staff
  const short = await cases['pending + money_short']?.bring(customer, staff)
  if (!short) throw new Error('no such case')
  await until(staff, short, 'short', ({ attention }) => attention?.reason === 'money_short')
  const part = `${usd((Number(short.total) - 20).toFixed(2))} of ${usd(short.total)}`
  const places = [
    { path: '/admin/payments?cols=reference,amount,status', badge: misfits.short },
    { path: `/admin/orders?q=${short.reference}`, badge: attentionTexts.money_short?.title ?? '' },
  ]
  for (const { path, badge } of places)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(path)
      const row = page.locator('[data-row]').filter({ hasText: short.reference })
      await expect(row).toContainText(part)
      await expect(row.getByText(badge, { exact: true })).toBeVisible()
    }
})

test('a refused address is changed on the page of its order', async ({ browser, customer, staff }) => {
  const { page } = customer
  const refused = cases['filled + address_refused']
  const made = await refused?.bring(customer, staff)
  if (!made) throw new Error('no such case')
  await until(staff, made, 'refused', (seen) => seen.attention?.reason === 'address_refused')
  const another = ownAddress('BTC')

  await page.goto(`/orders/${made.id}`)
  await expect(page.getByText('Enter another address').first()).toBeVisible()
  const field = page.getByLabel('Wallet address')
  await field.fill(`${another}x`)
  await page.getByRole('button', { name: 'Send to this address' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await field.fill(made.address)
  await page.getByRole('button', { name: 'Send to this address' }).click()
  await expect(page.getByText(amendTexts.refused)).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await field.fill(another)
  await page.getByRole('button', { name: 'Send to this address' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send to this address' }).click()
  await expect(page.getByText(amendTexts.held).first()).toBeVisible()
  await expect(page.getByText(situations.addressHeld)).toBeVisible()
  await expect(page.locator('#situation-title')).toBeFocused()
  await expect(page.getByText(/^Confirm the link in your e-mail by /).first()).toBeVisible()
  const { email } = await customer.get<{ email: string }>('/api/auth/user')
  const mail = await mailTo(email, /Confirm the new address/)
  const link = mail.links.find((each) => each.includes('#address=')) ?? 'no link'
  const confirm = (at: Page) => at.getByRole('status').getByRole('button', { name: amendTexts.confirm })

  const context = await browser.newContext()
  const elsewhere = await context.newPage()
  await test.step('in a browser that is not signed in the link leads through the login, and its token to no server', async () => {
    const asked: string[] = []
    elsewhere.on('request', (request) => asked.push(request.url() + (request.postData() ?? '')))
    await elsewhere.goto(link)
    await expect(elsewhere).not.toHaveURL(/#/)
    await elsewhere.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await elsewhere.getByLabel('E-mail').fill(email)
    await elsewhere.getByLabel('Password', { exact: true }).fill(password)
    await elsewhere.getByRole('button', { name: 'Sign in' }).click()
    await expect(elsewhere).toHaveURL(new RegExp(`/orders/${made.id}$`))
    await expect(confirm(elsewhere)).toBeVisible()
    const token = link.replace(/.*#address=/, '')
    expect(asked.filter((each) => each.includes(token))).toEqual([])
    expect((await customer.get<{ destAddress: string }>(`/api/orders/${made.id}`)).destAddress).not.toBe(
      another,
    )
  })

  await test.step('it confirms there, and the order goes on', async () => {
    await expect(elsewhere.getByRole('status').filter({ hasText: amendTexts.confirmTitle })).toContainText(
      another.slice(0, 4),
    )
    await confirm(elsewhere).click()
    await expect(elsewhere.getByText('Address changed').first()).toBeVisible()
    await context.close()
    await until(staff, made, 'sent', ({ status }) => status === 'sent')
    expect((await customer.get<{ destAddress: string }>(`/api/orders/${made.id}`)).destAddress).toBe(another)
    await expect(page.getByText(/is (on its way to|in) your wallet/)).toBeVisible()
    await expect(page.getByRole('link', { name: /View on the blockchain/ })).toBeVisible()
    await page.getByText('Details', { exact: true }).click()
    await expect(page.getByText('You changed the destination address')).toBeVisible()
  })

  await test.step('followed once more the link says that it was used', async () => {
    await page.goto(link) // a place on the page that is open
    await expect(page.getByRole('status').filter({ hasText: amendTexts.linkGone })).toContainText(
      amendTexts.linkUsedText,
    )
  })
})

test('a link that was replaced or has expired says so, and the newest one confirms', async ({
  customer,
  staff,
}) => {
  const { page } = customer
  const made = await cases['filled + address_refused']?.bring(customer, staff)
  if (!made) throw new Error('no such case')
  await until(staff, made, 'refused', (seen) => seen.attention?.reason === 'address_refused')
  const { email } = await customer.get<{ email: string }>('/api/auth/user')
  const linkFor = async (address: string) => {
    await page.goto(`/orders/${made.id}`)
    const folded = page.getByText(amendTexts.another)
    await expect(folded.or(page.getByLabel('Wallet address')).first()).toBeVisible()
    if (await folded.isVisible()) await folded.click()
    await page.getByLabel('Wallet address').fill(address)
    await page.getByRole('button', { name: 'Send to this address' }).last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send to this address' }).click()
    await expect(page.getByText(amendTexts.held).first()).toBeVisible()
    let found: string | undefined
    await expect(async () => {
      const mail = await mailTo(email, new RegExp(`Confirm the new address of order ${made.reference}`))
      found = mail.links.find((each) => each.includes('#address=') && !links.includes(each))
      expect(found).toBeTruthy()
    }).toPass()
    links.push(found ?? '')
    return found ?? ''
  }
  const links: string[] = []
  const another = ownAddress('BTC')
  const confirm = page.getByRole('status').getByRole('button', { name: amendTexts.confirm })
  const old = await linkFor(ownAddress('BTC'))
  const newest = await linkFor(ownAddress('BTC'))
  await page.goto('about:blank') // a link opens a page, not a place on the one that is open
  await page.goto(old)
  await confirm.click()
  await expect(page.getByRole('alert')).toContainText(
    'This link no longer works. Enter the address again to get a new one.',
  )

  await operator('unconfirmed', { order: made.id })
  await mailTo(email, new RegExp(`order ${made.reference} still needs another address`))
  await page.goto('about:blank')
  await page.goto(newest)
  await expect(page.getByRole('status').filter({ hasText: amendTexts.linkGone })).toContainText(
    amendTexts.linkGoneText,
  )
  await page.getByText('Details', { exact: true }).click()
  await expect(page.getByText('The other address was not confirmed in time')).toBeVisible()

  const last = await linkFor(another)
  await page.goto('about:blank')
  await page.goto(last)
  await confirm.click()
  await expect(page.getByText('Address changed').first()).toBeVisible()
  await until(staff, made, 'sent', ({ status }) => status === 'sent')
  expect((await customer.get<{ destAddress: string }>(`/api/orders/${made.id}`)).destAddress).toBe(another)
})
