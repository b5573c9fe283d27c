import { readFileSync } from 'node:fs'
import { account } from '../../src/messages/account'
import { attentionTexts } from '../../src/messages/admin-order'
import { situations as texts } from '../../src/messages/situations'
import { test } from '../fixtures/crowd'
import { until } from '../fixtures/orders'
import { cases } from '../fixtures/situations'
import { expect, test as plain } from '../fixtures/test'

interface Pair {
  status: string
  attention?: string
}

/** The server's own table of every place an order can stand in. */
const pairs: Pair[] = JSON.parse(
  readFileSync(new URL('../../../models/situations.json', import.meta.url), 'utf8'),
)
const nameOf = ({ status, attention }: Pair) => (attention ? `${status} + ${attention}` : status)

// They wait more than they work: side by side.
test.describe.configure({ mode: 'parallel' })

plain('every place of the server’s table has its case, and no case is without a place', () => {
  expect(Object.keys(cases).sort()).toEqual(pairs.map(nameOf).sort())
})

/** Each status and each reason is played where the table has it first; E2E_FULL plays every pair. */
const subject = ({ status, attention }: Pair) => attention ?? status
const played = process.env.E2E_FULL
  ? pairs
  : pairs.filter((pair, at) => pairs.findIndex((one) => subject(one) === subject(pair)) === at)

for (const pair of played) {
  const name = nameOf(pair)
  const one = cases[name]
  if (!one) continue
  test(`an order that is ${name} is told to both, and led to its end: ${one.end}`, async ({
    customer,
    staff,
  }) => {
    const made = await one.bring(customer, staff)
    await until(
      staff,
      made,
      name,
      (seen) => seen.status === pair.status && seen.attention?.reason === pair.attention,
    )

    await test.step('the customer reads where the order stands', async () => {
      await customer.page.goto(`/orders/${made.id}`)
      await expect(customer.page.getByRole('heading', { level: 1 })).toBeVisible()
      if (pair.attention || pair.status === 'failed') {
        const card = customer.page.locator('[data-situation]')
        await expect(card).toBeVisible()
        await expect(card.getByText(texts.money, { exact: true })).toBeVisible()
        await expect(
          card.getByRole('link', { name: `${account.getHelp} ${made.reference}` }),
        ).toHaveAttribute('href', `/support?order=${made.id}&about=${made.reference}`)
      }
    })

    await test.step('staff read why, and what to do', async () => {
      await staff.page.goto(`/admin/orders/${made.id}`)
      await expect(staff.page.getByRole('heading', { level: 1 })).toBeVisible()
      const told = pair.attention ? attentionTexts[pair.attention] : undefined
      if (told) {
        await expect(staff.page.getByText(told.title).first()).toBeVisible()
        await expect(staff.page.getByText(told.todo)).toBeVisible()
      }
    })

    await test.step('a button, or the provider, leads it to its end', async () => {
      await one.lead({ customer, staff, made })
      await until(staff, made, one.end, (seen) =>
        one.end === 'sent' ? seen.status === 'sent' && !seen.attention : seen.metadata.resolution === one.end,
      )
    })
  })
}
