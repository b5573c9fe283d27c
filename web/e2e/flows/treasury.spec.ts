import type { Page } from '@playwright/test'
import type { Treasury, TreasuryMove, TreasuryMoveDetail } from '../../src/api/types.gen'
import { adminTreasury as texts } from '../../src/messages/admin-treasury'
import { accessible } from '../fixtures/accessible'
import { test } from '../fixtures/crowd'
import { receipts, simulator } from '../fixtures/stack'
import { expect } from '../fixtures/test'

test('treasury move: proposed by one, approved by another, and the coin arrives once', async ({
  staff: bob,
  admin: { page: alice },
}) => {
  await simulator('kraken/payouts', { seconds: '2' })
  for (const left of await bob.get<TreasuryMove[]>('/api/admin/treasury/moves?status=proposed&asset=ETH'))
    await bob.post(`/api/admin/treasury/moves/${left.id}/reject`, { reason: 'of an attempt before' })
  const before = await bob.get<Treasury>('/api/admin/treasury')
  const wallet = before.wallets.find(({ asset }) => asset === 'ETH')
  const card = (page: Page) => page.getByRole('region', { name: 'ETH · Ethereum' })

  await test.step('what each provider says is there, with its age', async () => {
    await alice.goto('/admin/treasury')
    await expect(alice.getByRole('heading', { level: 1, name: texts.title })).toBeVisible()
    const kraken = alice.getByRole('table', { name: texts.holders.kraken })
    await expect(kraken.getByRole('row', { name: /^BTC/ })).toContainText('BTC')
    await expect(card(alice)).toContainText(texts.enough)
    await accessible(alice)
  })

  await test.step('one person proposes it, and cannot approve it', async () => {
    await card(alice).getByRole('button', { name: texts.moveAny }).click()
    const dialog = alice.getByRole('dialog')
    await dialog.getByLabel(/^Amount/).fill('100000')
    await expect(dialog.getByText(texts.amountTooMuch)).toBeVisible()
    await dialog.getByLabel(/^Amount/).fill('12.5')
    await dialog.getByLabel(texts.reason).fill('A big week ahead')
    await dialog.getByRole('button', { name: `${texts.propose}: 12.5 ETH` }).click()
    await expect(alice.getByText(texts.own)).toBeVisible()
    await expect(alice.getByRole('button', { name: texts.approve })).toHaveCount(0)
    await accessible(alice)
  })
  const id = new URL(alice.url()).pathname.split('/').pop() ?? ''
  const path = `/api/admin/treasury/moves/${id}`
  expect((await bob.get<TreasuryMoveDetail>(path)).postings).toEqual([])

  const { page } = bob
  await test.step('another person finds it in the list, and approves what the dialog repeats', async () => {
    await page.goto('/admin/treasury?status=proposed')
    const { reference } = await bob.get<TreasuryMoveDetail>(path)
    await page.getByRole('link', { name: reference }).click()
    await expect(page.getByText('A big week ahead', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: texts.approve }).click()
    const dialog = page.getByRole('dialog')
    await expect(
      dialog.getByText(`${reference}: 12.5 ETH from Kraken to our wallet on Ethereum`),
    ).toBeVisible()
    await dialog.getByRole('button', { name: texts.approve }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('the coin arrives, both see it, and the wallet has it once', async () => {
    const arrived = `${texts.events.arrived} · 12.4996 ETH`
    await expect(page.getByText(arrived)).toBeVisible({ timeout: 90_000 })
    await expect(alice.getByText(arrived)).toBeVisible()
    const move = await bob.get<TreasuryMoveDetail>(path)
    expect(move).toMatchObject({ status: 'arrived', amount: '12.5', actions: [] })
    // As explorers write it, however the custodian does.
    const there = (await receipts()).filter(({ txid }) => `0x${txid.replace(/^0x/, '')}` === move.txid)
    expect(there).toHaveLength(1)
    expect(there[0]).toMatchObject({ coin: 'eth', amount: '12499600000000000000', state: 'confirmed' })
    await page.goto('/admin/treasury')
    await expect(card(page)).not.toContainText(`${wallet?.free} ETH`)
    const after = await bob.get<Treasury>('/api/admin/treasury')
    const now = after.wallets.find(({ asset }) => asset === 'ETH')
    expect(now).toMatchObject({ inTransit: '0', openMove: null })
    expect(Number(now?.exchange) - Number(wallet?.exchange)).toBeCloseTo(-12.5)
    await page.setViewportSize({ width: 320, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  })
})
