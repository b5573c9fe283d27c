import type { Page } from '@playwright/test'
import { asvs } from '../../src/lib/asvs.fixture'
import { test } from '../fixtures/crowd'
import { type DraftCase, draftCases } from '../fixtures/drafts'
import { signUp } from '../fixtures/people'
import { expect } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'

async function opened(page: Page, { behind }: DraftCase): Promise<void> {
  if (behind) await page.getByRole('button', { name: behind, exact: true }).click()
}

async function expectFields(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [field, text] of Object.entries(fields))
    await expect(page.locator(field), field).toHaveValue(text)
}

test('each form finds after a reload what was typed into it, and no secret', async ({
  page,
  customer,
  staff,
}) => {
  await signUp(page)
  const pages = { newcomer: page, customer: customer.page, staff: staff.page }
  const ticket = await openTicket(customer.page, 'Where is my coin?')
  const { id: person } = await customer.get<{ id: string }>('/api/auth/user')
  // A customer with a balance is asked for an account; nothing of it is sent here.
  await customer.page.route(/\/api\/balance(\?.*)?$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      json: { ...(await response.json()), balance: '100.00', receivable: '0.00' },
    })
  })
  for (const one of draftCases)
    await test.step(one.form, async () => {
      const on = pages[one.who]
      await on.goto(one.path.replace('{ticket}', ticket).replace('{person}', person))
      await opened(on, one)
      const { kept, secret = {} } = one
      for (const [field, text] of Object.entries({ ...kept, ...secret })) await on.locator(field).fill(text)
      await expectFields(on, { ...kept, ...secret })
      // A reload asks before it discards a secret; that prompt is the browser's own.
      on.once('dialog', (dialog) => void dialog.accept())
      await on.reload()
      await opened(on, one)
      await expectFields(on, kept)
      await expectFields(on, Object.fromEntries(Object.keys(secret).map((field) => [field, ''])))
      const stored = await on.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
      for (const text of Object.values(secret))
        expect(stored, `${one.form}: ${asvs('14.3.3')}`).not.toContain(text)
      if (Object.keys(secret).length > 0)
        await expect(on.getByText('except codes and account numbers').first()).toBeVisible()
    })
})
