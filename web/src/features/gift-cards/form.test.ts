import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { randomOf } from '@/answers.fixture'
import {
  type CardForm,
  cleaned,
  emptyForm,
  expiryOf,
  expiryTyped,
  isTooMuch,
  lengths,
  malformed,
  missing,
  missingText,
  payout,
  tooLong,
} from './form'

test('what is missing is named in the order of the form, by the type of card', () => {
  expect(missingText(missing(emptyForm))).toBe(
    'Please fill in all required fields: Brand, Value, Card Number, PIN',
  )
  expect(missingText(missing({ ...emptyForm, cardType: 'prepaid', brand: 'visa', value: ' ' }))).toBe(
    'Please fill in all required fields: Value, Card Number, Expiration Date, Security Code',
  )
})

test('the payout is 85 % less five dollars, rounded down, and never nothing', () => {
  expect(payout('100', '0.85', '5.00')).toBe('80.00')
  expect(payout('10.01', '0.85', '5.00')).toBe('3.50')
  expect(payout('5.88', '0.85', '5.00')).toBeUndefined()
  expect(payout('5.90', '0.85', '5.00')).toBe('0.01')
  for (const value of ['', '-1', '1e3', 'x', '0']) expect(payout(value, '0.85', '5.00')).toBeUndefined()
})

test('what is above the most we take is known before it is sent', () => {
  expect(isTooMuch('2000.01', '2000.00')).toBe(true)
  for (const value of ['2000', '', 'x', '-3000']) expect(isTooMuch(value, '2000.00')).toBe(false)
})

test('an expiration date gets its slash as it is typed, and can be taken back', () => {
  expect(expiryTyped('0', '09')).toBe('09/')
  expect(expiryTyped('09/', '09')).toBe('09')
  expect(expiryTyped('', '0940')).toBe('09/40')
  expect(expiryTyped('09/4', '09/40')).toBe('09/40')
})

const typing = (text: string) => [...text].reduce((shown, char) => expiryTyped(shown, shown + char), '')

test.each([
  '09/30',
  '0930',
  '09-30',
  '09.30',
  '09 30',
  '09 / 30',
  '9/30',
  '09/2030',
  '092030',
  '9/2030',
  '2030-09',
  '2030/09',
  '203009',
  '2030-09-30',
  '09\u20112030',
  '０９/３０',
  '\u200b09/30\u200e',
  '09\u00a0/\u00a030',
  '09\u201330',
])('month and year, however they are written: %j', (text) => {
  expect(expiryOf(text)).toBe('09/30')
  expect(expiryTyped('', text), 'pasted').toBe('09/30')
})

test.each(['09/30', '0930', '09-30', '9/30', '09/2030', '9/2030', '2030-09', '2030/09'])(
  'typed one by one: %j',
  (text) => expect(typing(text)).toBe('09/30'),
)

test('every date of a hundred years is understood in every order, and no other text becomes one', () => {
  const random = randomOf('dates')
  for (let at = 0; at < 1_200; at += 1) {
    const month = String(1 + (at % 12)).padStart(2, '0')
    const year = String(Math.floor(at / 12)).padStart(2, '0')
    for (const text of [`${month}/${year}`, `${month}${year}`, `${month}/20${year}`, `20${year}-${month}`])
      expect(expiryOf(text), text).toBe(`${month}/${year}`)
    const other = String.fromCharCode(...Array.from({ length: 5 }, () => 32 + Math.floor(random() * 90)))
    if (!/^\D*\d{1,2}\D*\d{2}\D*$/.test(other)) expect(expiryOf(other), other).toBeUndefined()
  }
  for (const text of ['', '13/30', '00/30', '30/09', '2030', '09/203', '09/3', 'Sep 2030', '09/20300'])
    expect(expiryOf(text), text).toBeUndefined()
})

const prepaid: CardForm = {
  ...emptyForm,
  brand: 'visa',
  cardType: 'prepaid',
  value: '50',
  cardCode: ' 4242\u20114242\u00a04242  4242\u200b',
  expirationDate: '09/2030',
  securityCode: ' 123',
}

test('limits hold for what is sent, and what is too long stays as it was typed', () => {
  expect(cleaned(prepaid)).toMatchObject({
    cardCode: '4242424242424242',
    expirationDate: '09/30',
    securityCode: '123',
  })
  expect(malformed(prepaid)).toEqual({})
  const long = { ...prepaid, cardCode: '4'.repeat(20), securityCode: '12345' }
  expect(tooLong(long)).toEqual({
    cardCode: 'Card Number: at most 19 characters.',
    securityCode: 'Security Code: at most 4 characters.',
  })
  expect(malformed({ ...prepaid, expirationDate: '13/30' })).toEqual({
    expirationDate: 'Enter the month and year on the card, such as 09/30.',
  })
})

test('what is longer than the server takes is said before it is sent', () => {
  const server = readFileSync(new URL('../../../../models/giftcard/form.go', import.meta.url), 'utf8')
  expect(server).toMatch(new RegExp(`maxPrepaidCode = ${lengths.prepaidCode}\\n`))
  expect(server).toMatch(new RegExp(`maxRegularCode = ${lengths.regularCode}\\n`))
  expect(server).toContain(`{1,${lengths.pin}}`)
  const regular = { ...emptyForm, brand: 'amazon', value: '50', cardCode: 'A'.repeat(33), pin: '1234' }
  expect(tooLong(regular)).toEqual({ cardCode: 'Card Number: at most 32 characters.' })
  expect(tooLong({ ...regular, cardCode: ` ${'A-'.repeat(32)}` })).toEqual({})
})
