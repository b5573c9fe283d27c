import { randomInt, randomUUID } from 'node:crypto'
import type { Browser, Page } from '@playwright/test'
import type { BookedPosting, MoneyProposal } from '../../src/api/types.gen'
import { closedCredits } from '../../src/messages/admin-closed-credits'
import { adminMoney as texts } from '../../src/messages/admin-money'
import { accessible } from '../fixtures/accessible'
import { cardsWidth } from '../fixtures/admin'
import { agreed, Caller, order, transferred, until } from '../fixtures/orders'
import { signIn, verifiedCustomer } from '../fixtures/people'
import { picture } from '../fixtures/picture'
import { mailTo, operator } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

/** Another admin than the one of the test, with a page of their own. */
async function secondAdmin(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await signIn(page, 'bob@example.com')
  return page
}

/** An amount that no other test has, so that its postings are found. */
const ownDollars = (from: number) => `${randomInt(from, from + 90)}.${randomInt(10, 99)}`

/** Who proposed it has no button for it, and is refused by the server as well. */
async function refusedToItsOwn(page: Page, reason: string): Promise<void> {
  const admin = new Caller(page)
  const [proposal] = (await admin.get<MoneyProposal[]>('/api/admin/money/proposals')).filter(
    (one) => one.reason === reason,
  )
  expect(proposal?.actions).toEqual(['withdraw'])
  await expect(admin.post(`/api/admin/money/proposals/${proposal?.id}/approve`)).rejects.toThrow(
    /403 .*own_proposal/,
  )
}

test('money that nobody could place is credited by two people, and the ledger says so', async ({
  page,
  admin: { page: alice },
  browser,
}) => {
  const email = await verifiedCustomer(page)
  const { id } = await new Caller(page).get<{ id: string }>('/api/auth/user')
  const [amount, reference] = [ownDollars(300), `ZELLE-${randomUUID().slice(0, 8)}`]
  const rowOf = (who: Page) => who.getByRole('article', { name: new RegExp(reference) })
  const reason = `Theirs, they sent us a picture of ${reference}`

  await test.step('one person writes it down and proposes whose it is', async () => {
    await alice.setViewportSize(cardsWidth)
    await alice.goto('/admin/money')
    await alice.getByRole('button', { name: texts.actions.open }).click()
    const dialog = alice.getByRole('dialog')
    await dialog.getByLabel(texts.fields.amount).fill(amount)
    await dialog.getByLabel(texts.fields.bankReference).fill(reference)
    await dialog.getByLabel(texts.fields.rail).selectOption('zelle')
    await dialog.getByRole('button', { name: texts.actions.open }).click()
    await rowOf(alice)
      .getByRole('button', { name: new RegExp(`^${texts.actions.credit}`) })
      .click()
    await dialog.getByLabel(texts.fields.customer).fill(email)
    await dialog.getByLabel(texts.reason).fill(reason)
    await dialog.getByRole('button', { name: texts.actions.propose }).click()
    await expect(rowOf(alice).getByText(reason)).toBeVisible()
    await expect(
      rowOf(alice).getByRole('button', { name: new RegExp(`^${texts.actions.approve}`) }),
    ).toHaveCount(0)
    await refusedToItsOwn(alice, reason)
    await accessible(alice)
  })

  const bob = await secondAdmin(browser)
  await test.step('another person approves it', async () => {
    await bob.setViewportSize(cardsWidth)
    await bob.goto('/admin/money')
    await rowOf(bob)
      .getByRole('button', { name: new RegExp(`^${texts.actions.approve}`) })
      .click()
    await bob.getByRole('dialog').getByRole('button', { name: texts.actions.approve }).click()
    await expect(bob.getByRole('dialog')).toHaveCount(0)
    await expect(rowOf(bob)).toHaveCount(0)
  })

  const books = await new Caller(bob).get<BookedPosting[]>(
    `/api/admin/ledger/postings?account=customer:${id}:balance&currency=USD`,
  )
  expect(books.map(({ from, amount: booked }) => [from, booked])).toEqual([
    [`customer:${id}:balance`, amount],
  ])
  await page.goto('/balance')
  await expect(page.getByTestId('available')).toHaveText(`$${amount}`)

  await test.step('its bank takes it back: two people book that, and the customer is told', async () => {
    await alice.goto('/admin/money?view=credited')
    await rowOf(alice)
      .getByRole('button', { name: new RegExp(`^${texts.actions.recall}`) })
      .click()
    const dialog = alice.getByRole('dialog')
    await dialog.getByLabel(texts.fields.bankReference).fill(`R-${reference}`)
    await dialog.getByLabel(texts.fields.code).fill('R03')
    await dialog.getByLabel(texts.reason).fill('The sender recalled it')
    await dialog.getByRole('button', { name: texts.actions.propose }).click()
    await expect(rowOf(alice)).toContainText(texts.kinds.recall_money)
    await bob.goto('/admin/money?view=credited')
    await rowOf(bob)
      .getByRole('button', { name: new RegExp(`^${texts.actions.approve}`) })
      .click()
    await bob.getByRole('dialog').getByRole('button', { name: texts.actions.approve }).click()
    await expect(bob.getByRole('dialog')).toHaveCount(0)
    await expect(rowOf(bob)).toContainText(`R-${reference}`)
    await page.goto('/balance')
    await expect(page.getByTestId('available')).toHaveText('$0.00')
    expect((await mailTo(email, /taken back/)).text).toContain('/open?to=/support%3Fabout%3DRC-')
  })
  await bob.context().close()
})

test('a manual entry with its document is booked by two people', async ({
  admin: { page: alice },
  browser,
}) => {
  const amount = ownDollars(100)
  const reason = `A fee of the bank, ${randomUUID()}`
  const rowOf = (who: Page) => who.getByRole('listitem').filter({ hasText: reason })
  await alice.goto('/admin/ledger')
  await alice.getByRole('link', { name: texts.journal.link }).click()
  await alice.getByRole('button', { name: texts.journal.new }).click()
  const dialog = alice.getByRole('dialog')
  await dialog.getByLabel(texts.journal.from).fill('bank_clearing')
  await dialog.getByLabel(texts.journal.to).fill('provider_fees')
  await dialog.getByLabel(texts.journal.amount).fill(amount)
  await dialog
    .getByLabel(texts.journal.document)
    .setInputFiles({ name: 'statement.png', mimeType: 'image/png', buffer: picture() })
  await dialog.getByLabel(texts.reason).fill(reason)
  await dialog.getByRole('button', { name: texts.actions.propose }).click()
  await expect(rowOf(alice)).toContainText(amount)
  await refusedToItsOwn(alice, reason)
  await accessible(alice)

  const bob = await secondAdmin(browser)
  await bob.goto('/admin/ledger/journal')
  await expect(rowOf(bob).getByRole('link', { name: texts.document })).toBeVisible()
  const booked = async () =>
    (
      await new Caller(bob).get<BookedPosting[]>(
        '/api/admin/ledger/postings?account=provider_fees&event=journal',
      )
    ).filter((posting) => posting.amount === amount)
  expect(await booked()).toEqual([])
  await rowOf(bob)
    .getByRole('button', { name: new RegExp(`^${texts.actions.approve}`) })
    .click()
  await bob.getByRole('dialog').getByRole('button', { name: texts.actions.approve }).click()
  await expect(bob.getByRole('dialog')).toHaveCount(0)
  await expect(rowOf(bob).getByText(texts.proposalStatuses.approved)).toBeVisible()
  expect(await booked()).toMatchObject([{ from: 'bank_clearing', to: 'provider_fees', currency: 'USD' }])
  await bob.context().close()
})

test('money for a closed account is sent back by two people above the limit', async ({
  page,
  admin: { page: alice },
  browser,
}) => {
  const email = await verifiedCustomer(page)
  const customer = new Caller(page)
  const staff = new Caller(alice)
  const made = await order(customer, 'domestic_wire', 'USDC', `1,2${randomInt(10, 99)}.5`.replace(',', ''))
  await customer.post(`/api/orders/${made.id}/cancel`)

  await test.step('its customer closes the account; then the wire of a cancelled order comes', async () => {
    await page.goto('/settings/privacy')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByRole('button', { name: 'Yes, delete it' }).click()
    await expect(page.getByText('Your account will be closed on')).toBeVisible()
    await operator('closable', { email })
    await mailTo(email, /is closed/i)
    await transferred(staff, made, made.total)
    const { proposal } = await until(staff, made, 'proposed', (seen) => Boolean(seen.proposal))
    await staff.post(`/api/admin/orders/${made.id}/proposal/approve`, { proposalId: proposal?.id })
    await until(staff, made, 'late', (seen) => seen.attention?.reason === 'money_late')
    await staff.post(`/api/admin/orders/${made.id}/refund`, { reason: 'The account is closed' })
    await agreed(staff, made)
  })

  const reference = `BACK-${randomUUID().slice(0, 8)}`
  const rowOf = (who: Page) => who.getByRole('article').filter({ hasText: made.reference })
  const confirm = async (who: Page, entered: string) => {
    await rowOf(who)
      .getByRole('button', { name: new RegExp(`^${closedCredits.payBack}`) })
      .click()
    const dialog = who.getByRole('dialog')
    await dialog.getByLabel(closedCredits.field).fill(entered)
    await dialog.getByLabel(closedCredits.reason, { exact: true }).fill('To the account that it came from')
    await dialog.getByRole('button', { name: closedCredits.payBack }).click()
    return dialog
  }
  const booked = async () =>
    (await staff.get<BookedPosting[]>(`/api/admin/ledger/postings?object=${made.id}`)).filter(
      ({ event }) => event === 'closed_account_paid',
    )

  await test.step('one person confirms the transfer back, and cannot do so twice', async () => {
    await alice.setViewportSize(cardsWidth)
    await alice.goto('/admin/closed-credits')
    await expect(rowOf(alice)).toContainText(/\$1,\d{3}\.\d\d/)
    const dialog = await confirm(alice, reference)
    await expect(dialog).toHaveCount(0)
    await expect(rowOf(alice).getByText(closedCredits.second)).toBeVisible()
    await expect(rowOf(alice).getByText(closedCredits.mine)).toBeVisible()
    await expect(rowOf(alice).getByRole('button')).toHaveCount(0)
    await accessible(alice)
    expect(await booked()).toEqual([])
  })

  await test.step('another person enters the same reference, and it is booked', async () => {
    const bob = await secondAdmin(browser)
    await bob.setViewportSize(cardsWidth)
    await bob.goto('/admin/closed-credits')
    const dialog = await confirm(bob, `${reference}-X`)
    await expect(dialog.getByRole('alert')).toContainText('another bank reference')
    await dialog.getByLabel(closedCredits.field).fill(reference)
    await dialog.getByRole('button', { name: closedCredits.payBack }).click()
    await expect(dialog).toHaveCount(0)
    await expect(rowOf(bob)).toHaveCount(0)
    await bob.getByRole('button', { name: closedCredits.views.sent_back }).click()
    await expect(rowOf(bob)).toContainText(reference)
    expect(await booked()).toMatchObject([
      { from: 'bank_clearing', to: 'closed_accounts', amount: made.total },
    ])
    await bob.context().close()
  })
})
