import { inbox } from '../../src/messages/admin-inbox'
import { records } from '../../src/messages/admin-records'
import { confirmByMail } from '../fixtures/balance'
import { placeOrder } from '../fixtures/buying'
import { loseFirstAnswer } from '../fixtures/lose'
import { signUp, verifiedCustomer } from '../fixtures/people'
import { mailTo } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'
import { openTicket } from '../fixtures/tickets'

test('a ticket goes both ways: asked from an order, answered, written back, closed', async ({
  page,
  admin,
}) => {
  const email = await verifiedCustomer(page)
  const order = await placeOrder(page)

  await test.step('the form says what is missing, and the order comes with it', async () => {
    await page.goto(`/orders/${order}`)
    await page.getByRole('link', { name: /^Get help with TP-/ }).click()
    await expect(page.getByRole('heading', { name: /^About TP-/ })).toBeVisible()
    await expect(page.getByLabel('Subject')).toHaveValue('transaction')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Please fill in all fields').first()).toBeVisible()
    await page.getByLabel('Message').fill('<b>Where</b> is my coin?')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Support ticket submitted successfully').first()).toBeVisible()
    await expect(page).toHaveURL(/\/support\/[0-9a-f-]{36}$/)
    await expect(page.getByText('<b>Where</b> is my coin?')).toBeVisible()
    await expect(page.getByRole('link', { name: /^TP-/ })).toHaveAttribute('href', `/orders/${order}`)
  })

  const id = page.url().split('/').at(-1) ?? ''
  await test.step('it is answered from the inbox, and stands on the open page by itself', async () => {
    const { reference } = await (await page.request.get(`/api/support/tickets/${id}`)).json()
    await admin.page.goto('/admin/support?status=open')
    await admin.page.getByRole('link', { name: reference }).click()
    await admin.page.getByRole('button', { name: 'Assign to me', exact: true }).click()
    await admin.page.getByLabel('Reply').fill('It leaves within the hour.')
    const sent = admin.page.waitForResponse((response) => response.url().endsWith('/reply'))
    await admin.page.getByRole('button', { name: 'Send reply' }).dblclick()
    await sent
    await expect(page.getByText('It leaves within the hour.')).toHaveCount(1)
    const mail = await mailTo(email, /answered your ticket/i)
    expect(mail.text).not.toContain('within the hour')
    expect(mail.links.some((link) => link.endsWith(`/support/${id}`))).toBe(true)
  })

  await test.step('the customer writes back and closes it; the dashboard lists it', async () => {
    await page.getByLabel('Your message').fill('Thank you!')
    const keys = await loseFirstAnswer(page, '**/api/support/tickets/*/messages')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Failed to submit support ticket').first()).toBeVisible()
    await page.getByRole('button', { name: 'Send' }).dblclick()
    await expect(page.getByLabel('Your message')).toHaveValue('')
    expect(new Set(keys).size).toBe(1)
    await expect(admin.page.getByText('Thank you!')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Conversation' }).getByText('Thank you!')).toHaveCount(1)
    await page.getByRole('button', { name: 'Close ticket' }).click()
    await expect(page.getByText('This ticket is closed.')).toBeVisible()
    await page.goto('/dashboard#support') // opens what is folded for a customer with an order
    const card = page.locator('#support')
    await expect(card.getByText('<b>Where</b> is my coin?')).toBeVisible()
    const { config } = JSON.parse((await page.locator('#session').textContent()) ?? '')
    const measured: string = config.claims.responseTime // not told of with fewer than ten answers
    await expect(card.getByText(/^Average response time/)).toHaveText(
      measured ? [`Average response time: ${measured}.`] : [],
    )
  })
})

test('a copy of one’s data is asked for, told of by mail, and downloaded', async ({ page }) => {
  const email = await signUp(page)
  await page.goto('/privacy')
  await page.getByRole('link', { name: /^Your data and your rights/ }).click()
  await page.getByRole('button', { name: 'Request a copy' }).click()
  await expect(page.getByText('Action needed: confirm by mail')).toBeVisible()
  await confirmByMail(page, email, /confirm the request for your data/)
  await expect(page.getByText('Your copy is ready')).toBeVisible()
  const mail = await mailTo(email, /ready to download/i)
  expect(mail.links.some((link) => link.endsWith('/settings/privacy'))).toBe(true)
  const arriving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  expect((await arriving).suggestedFilename()).toMatch(/^DX-.*\.zip$/)
})

test('mails are chosen, a name is put right, an account is restricted and kept', async ({ page }) => {
  await signUp(page)
  await page.goto('/settings/profile')
  await page.getByLabel('First name').fill('Augusta')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved').first()).toBeVisible()
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Notifications' })
    .click()
  await page.getByLabel('Support tickets').uncheck()
  await expect(page.getByLabel('Support tickets')).not.toBeChecked()
  const profile = async () => (await page.request.get('/api/profile')).json()
  expect((await profile()).firstName).toBe('Augusta')
  await expect
    .poll(
      async () =>
        (await profile()).topics.find((entry: { topic: string }) => entry.topic === 'support').wanted,
    )
    .toBe(false)

  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Your data' }).click()
  await page.getByRole('button', { name: 'Restrict my account' }).click()
  await expect(page.getByText('Your account is restricted')).toBeVisible()
  await page.goto('/buy')
  await expect(page.getByText('You restricted your account. Remove the restriction')).toBeVisible()
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Remove it in your settings' }).click()
  await page.getByRole('button', { name: 'Remove the restriction' }).click()
  await expect(page.getByText('Your account is restricted')).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await page.getByRole('button', { name: 'Yes, delete it' }).click()
  await expect(page.getByText('Your account will be closed on')).toBeVisible()
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(page.getByRole('button', { name: 'Delete my account' })).toBeVisible()
})

test('Keyboard alone suffices for the inbox: a ticket is found, taken, noted on, answered and closed', async ({
  page,
  admin: { page: helper },
}) => {
  const email = await signUp(page)
  const first = await openTicket(page, 'Where is my coin?')
  const second = await openTicket(page, 'And how long does it take?')
  const press = async (...keys: string[]) => {
    for (const key of keys) await helper.keyboard.press(key)
  }

  await test.step('of what is open, whoever waited longest is first', async () => {
    await helper.goto(`/admin/support?status=open&desk=nobody&q=${email}`)
    await expect(helper.locator('[data-row]')).toHaveCount(2)
    await press('j', 'Enter')
    await expect(helper).toHaveURL(new RegExp(`/admin/support/${first}\\?`))
    await expect(helper.getByText(records.place('1', '2'))).toBeVisible()
  })

  await test.step('it is taken and noted on, and the customer sees neither', async () => {
    await press('a')
    await expect(helper.getByText(inbox.assigned, { exact: true }).first()).toBeVisible()
    await press('n')
    await expect(helper.getByLabel(inbox.note, { exact: true })).toBeFocused()
    await helper.keyboard.type('He has asked this before.')
    await press('Control+Enter')
    await expect(helper.getByRole('list', { name: 'Conversation' }).getByText(inbox.noteOf)).toBeVisible()
    await press('Escape', 'r')
    await expect(helper.getByLabel(inbox.reply, { exact: true })).toBeFocused()
    await helper.keyboard.type('Within the hour.')
    await press('Control+Enter')
    await page.goto(`/support/${first}`)
    await expect(page.getByText('Within the hour.')).toBeVisible()
    await expect(page.getByText('He has asked this before.')).toHaveCount(0)
  })

  await test.step('the next is answered and closed in one, and its history says who had it', async () => {
    await helper.goto(`/admin/support/${second}?status=open&q=${email}`)
    await expect(helper.getByText(records.place('1', '1'))).toBeVisible()
    await press('r')
    await helper.keyboard.type('An hour, mostly.')
    await press('Control+Shift+Enter')
    await expect(helper).toHaveURL(/\/admin\/support\?/)
    await helper.goto(`/admin/support/${second}`)
    await expect(helper.getByText(`${inbox.steps.reply_close} · ${inbox.steps.take}`)).toBeVisible()
    await page.goto(`/support/${second}`)
    await expect(page.getByText('An hour, mostly.')).toBeVisible()
    await expect(page.getByText('This ticket is closed.')).toBeVisible()
  })

  await test.step('a question that needs no answer is closed with a reason, and the customer opens it again', async () => {
    await helper.goto(`/admin/support/${first}?desk=mine&q=${email}`)
    await expect(helper.getByText(records.place('2', '2'))).toBeVisible()
    await press('c')
    await expect(helper.getByRole('dialog').getByLabel(inbox.closeReason)).toBeFocused()
    await helper.keyboard.type('Asked twice')
    await press('Control+Enter')
    await expect(helper.getByText('“Asked twice”')).toBeVisible()
    await page.goto(`/support/${first}`)
    await page.getByLabel('Your message').fill('It has not come.')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('This ticket is closed.')).toHaveCount(0)
    await expect(page.getByText('Asked twice')).toHaveCount(0)
    await helper.goto(`/admin/support?status=open&desk=mine&q=${email}`)
    await expect(helper.locator('[data-row]')).toHaveCount(1)
  })
})
