import { expect, test } from 'vitest'
import { emptyForm, expiryTyped, isTooMuch, missing, missingText, payout } from './form'

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
