import { describe, expect, test } from 'vitest'
import { emptyForm, mistakesIn, type PayoutForm, wanted } from './form'
import { arrivesBy } from './steps'

const good: PayoutForm = {
  ...emptyForm,
  amount: '200',
  accountHolder: 'Ada Lovelace',
  routingNumber: '021000021',
  accountNumber: '9900-1122 6789',
}

const abroad: PayoutForm = { ...good, accountKind: 'iban', iban: 'de89 3704 0044 0532 0130 00' }

const mistakes = (change: Partial<PayoutForm>, form = good) =>
  mistakesIn({ ...form, ...change }, '500.00', '10.00')

describe('bar 23: what a payout may ask for', () => {
  test.each([
    ['', 'Enter an amount in dollars'],
    ['-5', 'Enter an amount in dollars'],
    ['0', 'Enter an amount in dollars'],
    ['1e2', 'Enter an amount in dollars'],
    ['12.345', 'Enter an amount in dollars'],
    ['$20', 'Enter an amount in dollars'],
    ['9.99', 'The minimum payout is $10.00'],
    ['500.01', 'Your balance is $500.00. Enter a lower amount'],
    ['1'.padEnd(20, '0'), 'Your balance is $500.00. Enter a lower amount'],
  ])('%j', (amount, text) => {
    expect(mistakes({ amount })).toEqual({ amount: text })
  })

  test('the fields of the chosen kind of account are checked, and sent', () => {
    expect(mistakes({})).toEqual({})
    expect(mistakes({}, abroad)).toEqual({})
    expect(wanted(good)).not.toHaveProperty('iban')
    expect(wanted(good).accountNumber).toBe('990011226789')
    expect(wanted(abroad)).toEqual({
      accountKind: 'iban',
      amount: '200',
      accountHolder: 'Ada Lovelace',
      iban: 'DE89370400440532013000',
    })
  })

  test.each([
    [{ accountHolder: ' ' }, { accountHolder: 'Enter the name of the account holder' }],
    [{ accountHolder: '4711' }, { accountHolder: 'Enter the name as your bank has it' }],
    [{ accountHolder: 'A'.repeat(101) }, { accountHolder: 'Enter the name as your bank has it' }],
    [{ routingNumber: '02100002' }, { routingNumber: 'Enter all 9 digits of the routing number' }],
    [{ routingNumber: '021000022' }, { routingNumber: 'Check the routing number for a typo' }],
    [{ accountNumber: '123' }, { accountNumber: 'Enter an account number with 4 to 17 digits' }],
    [{ accountNumber: '1'.repeat(18) }, { accountNumber: 'Enter an account number with 4 to 17 digits' }],
  ])('%j', (change, found) => {
    expect(mistakes(change)).toEqual(found)
  })

  test.each([
    ['', 'Enter the IBAN'],
    ['DE89', 'Check the length and country code of the IBAN'],
    ['DE88370400440532013000', 'Check the IBAN for a typo'],
  ])('%j', (iban, text) => {
    expect(mistakes({ iban }, abroad)).toEqual({ iban: text })
  })
})

test('a transfer arrives three working days later at the latest', () => {
  expect(arrivesBy('2026-11-18T22:00:00Z')).toBe('2026-11-23T12:00:00.000Z') // Wednesday → Monday
  expect(arrivesBy('2026-11-21T09:00:00Z')).toBe('2026-11-25T12:00:00.000Z') // Saturday → Wednesday
})
