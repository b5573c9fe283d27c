import { amendTexts } from '../../src/messages/situations'
import { test } from '../fixtures/crowd'
import { order, ownAddress, until } from '../fixtures/orders'
import { cases } from '../fixtures/situations'
import { mailTo } from '../fixtures/stack'
import { expect } from '../fixtures/test'

test('an order that waits for its customer is told of wherever they look', async ({ customer, staff }) => {
  const { page } = customer
  const short = await cases['pending + money_short']?.bring(customer, staff)
  const paidInFull = await order(customer, 'zelle')
  if (!short) throw new Error('no such case')
  const sentence = /Choose how this order continues by .+ left\)/

  await page.goto('/dashboard')
  await expect(page.getByText(/Action needed on \d+ orders/)).toBeVisible()
  const banner = page.getByRole('listitem').filter({ hasText: short.reference })
  await expect(banner.first()).toContainText(sentence)
  await expect(page).toHaveTitle(/^\(\d+\) /)

  await page.goto('/orders')
  const first = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) })
  await expect(first.first()).toContainText('Action needed')
  await expect(first.filter({ hasText: short.reference })).toContainText(sentence)
  await expect(first.filter({ hasText: short.reference })).toContainText('Part of your payment is missing')
  await expect(first.filter({ hasText: paidInFull.reference })).toContainText('Pay for this order')
  await page.getByLabel('Search').fill(short.reference)
  await expect(page).toHaveURL(new RegExp(`q=${short.reference}`))
  await expect(first).toHaveCount(1)

  await page.goto('/wallet')
  await expect(page.getByRole('listitem').filter({ hasText: short.reference })).toContainText(sentence)

  await page.goto(`/orders/${short.id}`)
  await expect(page.getByText('Action needed')).toBeVisible()
  await expect(page.getByText('Waiting for your payment. We confirm it here when it arrives.')).toBeVisible()
  await page.getByText('Details', { exact: true }).click()
  await expect(page.getByText('Order created')).toBeVisible()
  await expect(page.getByText(/^Times are in /)).toBeVisible()
})

test('a refused address is changed on the page of its order', async ({ customer, staff }) => {
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
  await page.getByRole('dialog').getByRole('button', { name: 'Send to this address' }).click()
  await expect(page.getByText("We couldn't send to this address.")).toBeVisible()
  await field.fill(another)
  await page.getByRole('button', { name: 'Send to this address' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send to this address' }).click()
  await expect(page.getByText(amendTexts.held).first()).toBeVisible()
  const { email } = await customer.get<{ email: string }>('/api/auth/user')
  const mail = await mailTo(email, /Confirm the new address/)
  await page.goto('about:blank') // the link opens the page, not a place on it
  await page.goto(mail.links.find((link) => link.includes('#address=')) ?? 'no link')
  await page.getByRole('status').getByRole('button', { name: amendTexts.confirm }).click()
  await page.getByRole('dialog').getByRole('button', { name: amendTexts.confirm }).click()
  await expect(page.getByText('Address changed').first()).toBeVisible()
  await until(staff, made, 'sent', ({ status }) => status === 'sent')
  expect((await customer.get<{ destAddress: string }>(`/api/orders/${made.id}`)).destAddress).toBe(another)
  await expect(page.getByText(/is (on its way to|in) your wallet/)).toBeVisible()
  await expect(page.getByRole('link', { name: /View on the blockchain/ })).toBeVisible()
  await page.getByText('Details', { exact: true }).click()
  await expect(page.getByText('You changed the destination address')).toBeVisible()
})
