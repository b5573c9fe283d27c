import type { Page } from '@playwright/test'
import { adminGiftCards as cards } from '../../src/messages/admin-gift-cards'
import { adminKyc as identities } from '../../src/messages/admin-kyc'
import { records } from '../../src/messages/admin-records'
import { expectNoViolation } from '../fixtures/accessible'
import { newCardNumber, sellGiftCard } from '../fixtures/gift-cards'
import { signUp } from '../fixtures/people'
import { picture } from '../fixtures/picture'
import { expect, test } from '../fixtures/test'

/** Nothing but keys, one after another. */
async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key)
}

test('gift-card review: by keyboard alone, two cards are looked at and decided, one after the other', async ({
  page,
  admin: { page: reviewer },
}) => {
  const email = await signUp(page)
  const file = { name: 'front.png', mimeType: 'image/png', buffer: picture() }
  const codes = [newCardNumber(), newCardNumber()]
  const first = await sellGiftCard(page, {
    value: '100',
    code: codes[0] ?? '',
    pictures: [file, { ...file, name: 'back.png' }],
  })
  const second = await sellGiftCard(page, { value: '50', code: codes[1] ?? '' })

  await test.step('the queue is searched by whose it is, and its oldest is opened', async () => {
    await reviewer.goto(`/admin/gift-cards?status=in_review&q=${email}`)
    await expect(reviewer.locator('[data-row]')).toHaveCount(2)
    await press(reviewer, 'j', 'j', 'k', 'Enter')
    await expect(reviewer).toHaveURL(new RegExp(`/admin/gift-cards/${first}\\?`))
    await expect(reviewer.getByText(records.place('1', '2'))).toBeVisible()
    await expect(reviewer.getByText(cards.check.duplicate(0, 'pass'))).toBeVisible()
    await expect(reviewer.getByText(cards.check.identity(0, 'warn'))).toBeVisible()
  })

  await test.step('it is revealed, and its pictures are zoomed', async () => {
    await press(reviewer, 'v')
    await expect(reviewer.getByText(codes[0] ?? '')).toBeVisible()
    await expect(reviewer.getByRole('img', { name: cards.picture(2) })).toBeVisible()
    await expectNoViolation(reviewer)
    await press(reviewer, '1')
    const zoom = reviewer.getByRole('dialog', { name: cards.pictureOf(1, 2) })
    await press(reviewer, '+', '+')
    await expect(zoom.getByText('200 %')).toBeVisible()
    await press(reviewer, '0', 'ArrowRight')
    await expect(reviewer.getByRole('dialog', { name: cards.pictureOf(2, 2) })).toBeVisible()
    await press(reviewer, 'Escape')
    await expect(reviewer.getByRole('dialog')).toHaveCount(0)
    await expect(reviewer).toHaveURL(new RegExp(first))
  })

  await test.step('a decision leads to the next, of which nothing is revealed yet', async () => {
    await press(reviewer, 'r')
    await expect(reviewer.getByRole('dialog').getByLabel(cards.rejectReason)).toBeFocused()
    await reviewer.keyboard.type('jkv: the PIN does not fit.')
    await press(reviewer, 'Control+Enter')
    await expect(reviewer).toHaveURL(new RegExp(`/admin/gift-cards/${second}\\?`))
    await expect(reviewer.getByRole('heading', { level: 1, name: /\$50/ })).toBeFocused()
    await expect(reviewer.getByText(codes[0] ?? '')).toHaveCount(0)
    await expect(reviewer.getByText(codes[1] ?? '')).toHaveCount(0)
    await expect(reviewer.getByText(cards.check.refused_before(1))).toBeVisible()
    await press(reviewer, 'v')
    await expect(reviewer.getByText(codes[1] ?? '')).toBeVisible()
    await press(reviewer, 'a')
    await expect(reviewer.getByLabel(cards.found)).toHaveValue('')
    await reviewer.keyboard.type('50')
    await expect(reviewer.getByText(cards.pays('$37.50'))).toBeVisible()
    await press(reviewer, 'Enter')
    await expect(reviewer).toHaveURL(/\/admin\/gift-cards\?/)
    await expect(reviewer.locator('[data-row]')).toHaveCount(0)
    for (const [id, status] of [
      [first, 'rejected'],
      [second, 'approved'],
    ]) {
      const card = await (await page.request.get(`/api/gift-cards/${id}`)).json()
      expect(card.status).toBe(status)
    }
  })

  await test.step('Escape leads back to the list, and the keys can be turned off', async () => {
    await reviewer.goto(`/admin/gift-cards/${second}?q=${email}`)
    await expect(reviewer.getByText(records.place('1', '2'))).toBeVisible()
    await press(reviewer, 'j')
    await expect(reviewer).toHaveURL(new RegExp(first))
    await reviewer.getByRole('button', { name: records.keysOff }).focus()
    await press(reviewer, 'Enter', 'k', 'Escape')
    await expect(reviewer).toHaveURL(new RegExp(first))
    await press(reviewer, 'Enter', 'Escape')
    await expect(reviewer).toHaveURL(/\/admin\/gift-cards\?/)
  })
})

test('the last row of a queue leaves the focus with the list, which says that it is empty', async ({
  page,
  admin: { page: reviewer },
}) => {
  const email = await signUp(page)
  await sellGiftCard(page, { value: '50' })
  await reviewer.goto(`/admin/gift-cards?status=in_review&q=${email}`)
  await expect(reviewer.locator('[data-row]')).toHaveCount(1)
  await press(reviewer, 'j', 'r')
  await expect(reviewer.getByRole('dialog').getByLabel(cards.rejectReason)).toBeFocused()
  await reviewer.keyboard.type('The PIN does not fit.')
  await press(reviewer, 'Control+Enter')
  await expect(reviewer.locator('[data-row]')).toHaveCount(0)
  const list = reviewer.locator('[data-queue]')
  await expect(list).toBeFocused()
  await expect(list).toContainText(cards.empty)
})

test('Keyboard alone suffices for the review queues: an identity is held, then approved', async ({
  page,
  admin: { page: officer },
}) => {
  const email = await signUp(page)
  await page.goto('/kyc')
  await page.getByRole('button', { name: 'Start Verification' }).click()
  const widget = page.frameLocator('iframe[src*="websdk"]')
  await widget.getByRole('button', { name: 'Continue' }).click()
  await widget.getByRole('button', { name: 'Use this sample photo' }).click()
  await widget.getByRole('button', { name: 'Use this sample selfie' }).click()
  await widget.getByLabel('Leave it to the control page').check()
  await widget.getByRole('button', { name: 'Submit for review' }).click()
  const status = async () => (await (await page.request.get('/api/kyc/status')).json()).status
  await expect.poll(status).toBe('pending')

  await officer.goto(`/admin/kyc?standing=pending&q=${email}`)
  await expect(officer.locator('[data-row]')).toHaveCount(1)
  await press(officer, 'j', 'Enter')
  await expect(officer.getByText(records.place('1', '1'))).toBeVisible()
  await press(officer, 'h')
  await expect(officer.getByRole('dialog').getByLabel(identities.reason)).toBeFocused()
  await officer.keyboard.type('Asked the customer for a call')
  await press(officer, 'Control+Enter')
  await expect(officer).toHaveURL(/\/admin\/kyc\?standing=pending/)

  await officer.goto(`/admin/kyc?standing=on_hold&q=${email}`)
  await expect(officer.locator('[data-row] time').last()).toBeVisible()
  await press(officer, 'j', 'Enter')
  await expect(officer.getByText('Asked the customer for a call')).toBeVisible()
  await expectNoViolation(officer)
  await press(officer, 'a', 'Tab')
  await officer.keyboard.type('Spoke to them; the passport is theirs')
  await press(officer, 'Control+Enter')
  await expect.poll(status).toBe('approved')
  await expect(officer).toHaveURL(/\/admin\/kyc\?standing=on_hold/)
  await expect(officer.locator('[data-row]')).toHaveCount(0)
})
