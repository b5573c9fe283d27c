import { giftCards } from '../../src/messages/gift-cards'
import { shows } from '../fixtures/expect'
import { expectFits } from '../fixtures/fits'
import { newCardNumber, sellGiftCard } from '../fixtures/gift-cards'
import { signUp } from '../fixtures/people'
import { picture } from '../fixtures/picture'
import { mailTo } from '../fixtures/stack'
import { expect, test } from '../fixtures/test'

test('a gift card is sold: refused once with a reason, then approved, paid and realised', async ({
  page,
  admin,
}) => {
  const email = await signUp(page)
  const card = page.locator('#gift-cards')

  await test.step('what is missing is named, and a prepaid card asks for its own fields', async () => {
    await card.getByRole('button', { name: 'Submit for review' }).click()
    const regular = 'Please fill in all required fields: Brand, Value, Card Number, PIN'
    await expect(page.getByText(regular).first()).toBeVisible()
    await card.getByLabel('Brand').selectOption({ label: 'Visa' })
    await card.getByRole('button', { name: 'Submit for review' }).click()
    const prepaid = 'Please fill in all required fields: Value, Card Number, Expiration Date, Security Code'
    await expect(page.getByText(prepaid).first()).toBeVisible()
    await card.getByLabel('Value in USD').fill('3000')
    await expect(card.getByText('The maximum is $2,000.00 per card.')).toBeVisible()
    await card.getByLabel('Value in USD').fill('100')
    await shows('§9 gift cards pay 85 % minus $5', expect(card.getByText('$80.00')).toBeVisible())
    await card.getByLabel('Card number').fill('4111111111111112')
    await card.getByLabel('Expiration date').fill('0940')
    await shows(
      '§5 the expiration date is MM/YY',
      expect(card.getByLabel('Expiration date')).toHaveValue('09/40'),
    )
    await card.getByLabel('Security code').fill('123')
    await card.getByRole('button', { name: 'Submit for review' }).click()
    await expect(card.getByText('Check the card number for a typo.')).toBeVisible()
  })

  await test.step('on a phone a picture of any name fits, and is seen before it is sent', async () => {
    const before = page.viewportSize()
    await page.setViewportSize({ width: 390, height: 800 })
    await card.getByRole('button', { name: giftCards.fold }).click()
    const pictures = ['a-name-without-any-space-'.repeat(6), 'back'].map((name) => ({
      name: `${name}.png`,
      mimeType: 'image/png',
      buffer: picture(),
    }))
    await card.locator('input[type=file]').setInputFiles(pictures)
    await expect(card.getByRole('listitem').locator('img')).toHaveCount(2)
    await expectFits(page, 'the trade card')
    for (const { name } of pictures) await card.getByRole('button', { name: `Remove ${name}` }).click()
    if (before) await page.setViewportSize(before)
  })

  const code = newCardNumber()
  const file = { name: 'front.png', mimeType: 'image/png', buffer: picture() }
  const refused = await sellGiftCard(page, {
    value: '100',
    code,
    pictures: [file, { ...file, name: 'back.png' }],
  })

  await test.step('a reviewer reveals it, and rejects it with a reason that the customer reads', async () => {
    await admin.page.goto('/admin/gift-cards?status=in_review')
    const { reference } = await (await page.request.get(`/api/gift-cards/${refused}`)).json()
    await admin.page.getByRole('link', { name: reference }).click()
    await expect(admin.page.getByText(code)).toHaveCount(0)
    await admin.page.getByRole('button', { name: 'Reveal' }).click()
    await expect(admin.page.getByText(code)).toBeVisible()
    await expect(admin.page.getByText('A reviewer viewed the card details')).toBeVisible()
    const shown = await admin.page.getByRole('img', { name: 'Picture 2' }).getAttribute('src')
    expect((await admin.page.request.get(shown ?? '')).headers()['content-type']).toBe('image/png')
    await admin.page.getByRole('button', { name: 'Reject', exact: true }).click()
    const dialog = admin.page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Reject' })).toBeDisabled()
    await dialog.getByLabel('Reason').fill('The PIN does not fit the number.')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await expect(admin.page.getByText('Gift card rejected').first()).toBeVisible()
    await expect(admin.page.getByText(code)).toHaveCount(0)
    await page.goto(`/gift-cards/${refused}`)
    await expect(page.getByText('The PIN does not fit the number.')).toBeVisible()
    await expect(page.getByText('Card details deleted')).toBeVisible()
  })

  const sold = await sellGiftCard(page, { value: '100', code })

  await test.step('sent again and approved for what it holds, it is on the balance at once', async () => {
    await page.goto(`/gift-cards/${sold}`)
    await expect(page.getByText('We’re reviewing your card')).toBeVisible()
    await admin.page.goto(`/admin/gift-cards/${sold}`)
    await expect(admin.page.getByText('Duplicates of this card')).toBeVisible()
    await admin.page.getByRole('button', { name: 'Approve', exact: true }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByLabel('Value found on the card').fill('90')
    await expect(dialog.getByText('They are offered $71.50')).toBeVisible()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await expect(dialog.getByRole('alert')).toContainText('reveal it before you approve it')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await admin.page.getByRole('button', { name: 'Reveal' }).click()
    await expect(admin.page.getByText(code)).toBeVisible()
    await admin.page.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByLabel('Value found on the card').fill('90')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await expect(admin.page.getByText('Counter-offer sent').first()).toBeVisible()
    await expect(page.getByText('We can offer you less for this card')).toBeVisible()
    expect((await mailTo(email, /We can offer/)).text).toContain('$71.50')
    await page.getByRole('button', { name: 'Accept $71.50' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Accept $71.50' }).click()
    await expect(page.getByText('We approved your card')).toBeVisible()
    await page.getByRole('link', { name: 'See your balance' }).click()
    await expect(page.getByTestId('available')).toHaveText('$71.50')
    await expect(page.getByText('Gift card sold')).toBeVisible()
    expect((await mailTo(email, /was approved/)).text).toContain('$71.50')
  })

  await test.step('what its value brought in is recorded, and what is printed on it destroyed', async () => {
    await admin.page.goto(`/admin/gift-cards/${sold}`)
    await admin.page.getByRole('button', { name: 'Record realization' }).click()
    const dialog = admin.page.getByRole('dialog')
    await dialog.getByLabel('Proceeds').fill('85')
    await dialog.getByLabel('Sale reference').fill(`batch ${sold}`)
    await dialog.getByRole('button', { name: 'Record realization' }).click()
    await expect(dialog).toHaveCount(0)
    await admin.page.goto(`/admin/gift-cards/${sold}`)
    await expect(admin.page.getByText('These card details have been deleted.')).toBeVisible()
    await page.goto('/gift-cards')
    await expect(page.getByRole('listitem').filter({ hasText: 'Approved' })).toHaveCount(1)
    await expect(page.getByRole('listitem').filter({ hasText: 'Rejected' })).toHaveCount(1)
  })
})
