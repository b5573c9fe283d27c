import { expect, type Locator, type Page } from '@playwright/test'
import { addresses, buyButton, cards } from '../fixtures/buying'
import { newCardNumber } from '../fixtures/gift-cards'
import { Caller } from '../fixtures/orders'
import { mailedCode, newEmail, password } from '../fixtures/people'
import { identityUrl, sandboxUrl, siteUrl } from '../fixtures/stack'
import { test } from '../fixtures/test'

/** Where the focus is, and what a screen reader says of it: a control without a name says nothing. */
async function stop(page: Page): Promise<{ name: string; ring: boolean } | null> {
  for (const frame of page.frames()) {
    const found = await frame
      .evaluate(() => {
        const at = document.activeElement
        if (!(at instanceof HTMLElement) || at === document.body || at.tagName === 'IFRAME') return null
        const label =
          'labels' in at ? [...((at as HTMLInputElement).labels ?? [])].map((l) => l.textContent) : []
        const by = (at.getAttribute('aria-labelledby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent)
        const name = [at.getAttribute('aria-label'), ...by, ...label, at.textContent, at.title]
          .join(' ')
          .trim()
        const outlined = (element: Element) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(element)
          return outlineStyle !== 'none' && outlineWidth !== '0px'
        }
        const shown = (element: Element) =>
          outlined(element) || getComputedStyle(element).boxShadow !== 'none'
        // The tile around a radio shows for it that it has the focus, and so does the frame around a bare text field.
        const framed = (field: Element) => {
          for (let box = field.parentElement; box && !box.matches('form'); box = box.parentElement)
            if (outlined(box)) return true
          return false
        }
        const around =
          (at.matches('[type=radio]') && shown(at.closest('label') ?? at)) ||
          (at.matches('form input:not([type=radio], [type=checkbox])') && framed(at))
        return { name, ring: shown(at) || around }
      })
      .catch(() => null)
    if (found) return found
  }
  return null
}

/**
 * Presses Tab until the element has the focus, as a keyboard user does. Each stop on the way has a name, and
 * shows.
 */
async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let pressed = 0; pressed < 120; pressed++) {
    if (await target.evaluate((at) => at === at.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
    const at = await stop(page)
    if (at)
      expect(at, `stop ${pressed} on the way to ${target}`).toEqual({
        name: expect.stringMatching(/\S/),
        ring: true,
      })
  }
  throw new Error(`Tab does not lead to ${target}`)
}

async function type(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field)
  await page.keyboard.type(text)
}

async function press(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await reach(page, control)
  await page.keyboard.press(key)
}

/** Moves to a group of radios, and with the arrows to one of them. */
async function choose(page: Page, radio: Locator): Promise<void> {
  const group = `input[type=radio][name="${await radio.getAttribute('name')}"]`
  for (let pressed = 0; pressed < 120; pressed++) {
    if (await page.evaluate((within) => document.activeElement?.matches(within), group)) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Space')
  for (let pressed = 0; pressed < 12 && !(await radio.isChecked()); pressed++)
    await page.keyboard.press('ArrowRight')
  await expect(radio).toBeChecked()
}

/** What a screen reader announces without being asked. */
async function hears(page: Page, text: string | RegExp): Promise<void> {
  const live = page.locator('[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]')
  await expect(live.filter({ hasText: text }).first()).toBeAttached()
}

test('a customer’s whole way by keyboard alone, each stop named and shown, each outcome said aloud', async ({
  page,
  admin,
}) => {
  const email = newEmail()

  await test.step('signs up', async () => {
    await page.goto('/')
    await press(page, page.getByRole('link', { name: 'Skip to content' }))
    await press(page, page.getByRole('main').getByRole('link', { name: 'Get Started' }).first())
    await page.waitForURL(`${identityUrl}/signup**`)
    await type(page, page.getByLabel('E-mail'), email)
    await type(page, page.getByLabel('Password', { exact: true }), password)
    await type(page, page.locator('[name=given_name]'), 'Casey')
    await type(page, page.locator('[name=family_name]'), 'Lin')
    await type(page, page.getByLabel('Country'), 'United States')
    await expect(page.getByLabel('Country')).toHaveValue('US')
    await press(page, page.locator('#adult'), 'Space')
    await press(page, page.locator('#terms'), 'Space')
    await press(page, page.getByRole('button', { name: 'Create account' }))
    await expect(page.getByLabel('Code from the e-mail')).toBeFocused()
    await page.keyboard.type(await mailedCode(email))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${siteUrl}/**`)
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  })

  await test.step('verifies', async () => {
    await page.goto('/kyc')
    await press(page, page.getByRole('button', { name: 'Start Verification' }))
    const widget = page.frameLocator('iframe[src*="websdk"]')
    for (const name of ['Continue', 'Use this sample photo', 'Use this sample selfie', 'Submit for review'])
      await press(page, widget.getByRole('button', { name }))
    await hears(page, 'Your identity is verified. All features unlocked!')
  })

  await test.step('buys', async () => {
    await press(page, page.getByRole('link', { name: 'Buy Crypto' }).first())
    await expect(page.getByRole('heading', { level: 1, name: 'Buy Crypto' })).toBeFocused()
    await choose(page, page.getByRole('radio', { name: 'BTC' }))
    await choose(page, page.getByRole('radio', { name: 'Card' }).first())
    await type(page, page.getByLabel('Amount in BTC'), '0.002')
    await type(page, page.getByLabel('Wallet address'), addresses.bitcoin)
    await expect(page.getByText(/^Price held for/)).toBeVisible()
    await press(page, buyButton(page))
    const dialog = page.getByRole('dialog')
    await expect(dialog).toBeVisible()
    expect(await dialog.evaluate((at) => at.contains(document.activeElement))).toBe(true)
    await press(page, dialog.getByRole('button', { name: /^Confirm and pay/ }))
  })

  await test.step('pays', async () => {
    // Confirming opens the payment page by itself.
    await page.waitForURL(`${sandboxUrl}/pay/**`)
    await type(page, page.getByLabel(/card number/i), cards.good)
    await type(page, page.getByLabel(/expir/i), '12 / 34')
    await type(page, page.getByLabel(/cvc|security/i), '123')
    await press(page, page.getByRole('button', { name: /^Pay/ }))
    await page.waitForURL(`${siteUrl}/orders/**`)
    await hears(page, 'Your payment is authorized')
  })

  await test.step('sells a card', async () => {
    await page.goto('/dashboard#gift-cards') // opens the form, which is folded for a customer with an order
    const card = page.locator('#gift-cards')
    await type(page, card.getByLabel('Brand'), 'Amazon')
    await type(page, card.getByLabel('Value in USD'), '50')
    await type(page, card.getByLabel('Card number'), newCardNumber())
    await type(page, card.getByLabel('PIN'), '4711')
    await press(page, card.getByRole('button', { name: 'Submit for review' }))
    await hears(page, 'Gift card submitted for review')
  })

  await test.step('redeems a voucher', async () => {
    await admin.page.goto('/admin/vouchers')
    const { code } = await new Caller(admin.page).post<{ code: string }>('/api/admin/vouchers', {
      amount: '25',
      currency: 'USD',
    })
    await page.goto('/dashboard#voucher-redemption')
    const card = page.locator('#voucher-redemption')
    await type(page, card.getByLabel('Voucher code'), code)
    await press(page, card.getByRole('button', { name: 'Check voucher' }))
    await hears(page, 'Voucher worth $25.00 found')
    await type(page, card.getByLabel('Cryptocurrency'), 'BTC')
    await type(page, card.getByLabel('Wallet address'), addresses.bitcoin)
    await press(page, card.getByRole('button', { name: 'Redeem voucher' }))
    await press(page, page.getByRole('button', { name: 'Redeem and send' }))
    await hears(page, 'Voucher redeemed successfully! Crypto will be sent shortly.')
  })
})
