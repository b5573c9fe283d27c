import type { Locator, Page } from '@playwright/test'
import { breakCauses, adminReconciliation as texts } from '../../src/messages/admin-reconciliation'
import { expectNoViolation } from '../fixtures/accessible'
import { cardsWidth } from '../fixtures/admin'
import { test } from '../fixtures/crowd'
import { simulator } from '../fixtures/stack'
import { expect } from '../fixtures/test'

/** Has statements and books compared until a break of that amount is there, or is not any more. */
async function compared(page: Page, amount: string, there: boolean): Promise<Locator> {
  const card = page.getByRole('article').filter({ hasText: `${amount} BTC` })
  await expect(async () => {
    await page.getByRole('button', { name: texts.run }).click()
    await expect(card).toHaveCount(there ? 1 : 0, { timeout: 4_000 })
  }).toPass()
  return card
}

/** An amount of satoshi that is unique in these tests, as it is sent and as it is shown. */
function unique(from: number): { satoshi: string; shown: string } {
  const satoshi = from + Math.floor(Math.random() * 900) * 10 + 7 // so that its last figure is shown
  return { satoshi: String(satoshi), shown: (satoshi / 1e8).toFixed(8) }
}

test('coin that nobody here sent: found as a break, its cause said, booked by one, or by two above the limit', async ({
  staff: bob,
  admin: { page: alice },
}) => {
  const small = unique(200_000)
  const large = unique(9_000_000)

  await test.step('it arrives, and the comparison finds it', async () => {
    await alice.setViewportSize(cardsWidth)
    await alice.emulateMedia({ reducedMotion: 'reduce' }) // a toast that fades is no text to be read
    await simulator('bitgo/deposits', { coin: 'btc', amount: small.satoshi })
    await alice.goto('/admin/reconciliation?holder=bitgo')
    const card = await compared(alice, small.shown, true)
    await expect(card.getByText(breakCauses.coin_arrived)).toBeVisible()
    await expectNoViolation(alice)
    await card.getByRole('link', { name: 'BitGo' }).first().click()
    await expect(
      alice.getByRole('region', { name: texts.told('BitGo') }).getByText(small.shown),
    ).toBeVisible()
    await expect(alice.getByRole('region', { name: texts.booked }).getByText(texts.noLines)).toBeVisible()
    await expect(alice.getByText(texts.events.found, { exact: false }).last()).toBeVisible()
    await expectNoViolation(alice)
    await alice.goBack()
  })

  await test.step('a person books it, by keyboard alone, and it does not come back', async () => {
    const card = alice.getByRole('article').filter({ hasText: `${small.shown} BTC` })
    await card.getByRole('button', { name: texts.actions.resolve }).focus()
    await alice.keyboard.press('Enter')
    const dialog = alice.getByRole('dialog')
    await expect(dialog.getByText(`${small.shown} BTC`, { exact: false })).toBeVisible()
    await expect(dialog.getByRole('button', { name: texts.actions.resolve })).toBeDisabled()
    await dialog.getByLabel(texts.account).selectOption('equity')
    await dialog.getByLabel(texts.reason).fill('The company brought it in')
    await alice.keyboard.press('Tab')
    await alice.keyboard.press('Tab')
    await alice.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(card).toHaveCount(0)
    await compared(alice, small.shown, false)
    await alice.getByRole('button', { name: texts.views.closed }).click()
    await expect(card.getByText('The company brought it in')).toBeVisible()
    await alice.goto('/admin/ledger/postings?event=reconciled&currency=BTC')
    await expect(alice.getByText(`${small.shown} BTC`).first()).toBeVisible()
  })

  await test.step('above the limit another person approves', async () => {
    await simulator('bitgo/deposits', { coin: 'btc', amount: large.satoshi })
    await alice.goto('/admin/reconciliation?holder=bitgo')
    const card = await compared(alice, large.shown, true)
    await card.getByRole('button', { name: texts.actions.resolve }).click()
    const dialog = alice.getByRole('dialog')
    await dialog.getByLabel(texts.account).selectOption('equity')
    await dialog.getByLabel(texts.reason).fill('A new float')
    await dialog.getByRole('button', { name: texts.actions.resolve }).click()
    await expect(card.getByText(texts.waits, { exact: true })).toBeVisible()
    await expect(card.getByRole('button', { name: texts.actions.approve })).toHaveCount(0)

    const { page } = bob
    await page.setViewportSize(cardsWidth)
    await page.goto('/admin/reconciliation?holder=bitgo')
    const seen = page.getByRole('article').filter({ hasText: `${large.shown} BTC` })
    await expect(seen.getByText('A new float')).toBeVisible()
    await seen.getByRole('link', { name: 'BitGo' }).first().click()
    await expect(page.getByRole('region', { name: texts.booked })).toBeVisible() // the list has such a button too
    await page.getByRole('button', { name: texts.actions.approve }).click()
    await page.getByRole('dialog').getByRole('button', { name: texts.actions.approve }).click()
    await expect(page.getByText(texts.events.approved, { exact: false })).toBeVisible()
    await page.goBack()
    await expect(seen).toHaveCount(0)
    await compared(page, large.shown, false)
  })
})
