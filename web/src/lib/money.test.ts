import { describe, expect, test } from 'vitest'
import { compare, cryptoFor, decimalsOf, estimatePurchase, isPositive, parseAmount, portion } from './money'

describe('amounts as they are typed', () => {
  test.each(['0.00000001', '1', '1.', '.5', '123456789012345678901234567890', ' 2 '])(
    '%j is a number',
    (text) => {
      expect(parseAmount(text)).toBeDefined()
    },
  )

  test.each([
    '',
    ' ',
    '.',
    '-1',
    '+1',
    '1e5',
    '1e-5',
    '0x10',
    'Infinity',
    'NaN',
    '1,5',
    '1 000',
    '١',
    '1.0000000000000000001',
    '9'.repeat(31),
  ])('%j is none', (text) => {
    expect(parseAmount(text)).toBeUndefined()
    expect(isPositive(text)).toBe(false)
  })

  test('zero is a number, and not above zero', () => {
    expect(parseAmount('0.000')?.eq(0)).toBe(true)
    expect(isPositive('0.000')).toBe(false)
  })

  test('no digit is lost', () => {
    expect(parseAmount('0.123456789012345678')?.toFixed()).toBe('0.123456789012345678')
    expect(compare('0.1', '0.10')).toBe(0)
    expect(compare('9007199254740993', '9007199254740992')).toBe(1)
  })

  test('decimals are counted as written', () => {
    expect([decimalsOf('1'), decimalsOf('1.'), decimalsOf('1.50')]).toEqual([0, 0, 2])
  })
})

describe('the dashboard’s estimate', () => {
  const card = { margin: '3.5', processingFee: '0.00' }

  test('the method’s own fee, amount + fee, and amount ÷ rate to 8 decimals', () => {
    expect(estimatePurchase('100', '93333.30', card)).toEqual({
      discount: '0.00',
      fee: '3.50',
      total: '103.50',
      crypto: '0.00107142',
    })
    expect(estimatePurchase('100', '1', { margin: '1', processingFee: '15.00' })?.fee).toBe('16.00')
  })

  test('halves round up, as money does', () => {
    expect(estimatePurchase('0.20', '1', { margin: '2.5', processingFee: '0' })?.fee).toBe('0.01')
  })

  test('without a rate the crypto is unknown, not zero; without a fee so is everything', () => {
    expect(estimatePurchase('100', undefined, card)?.crypto).toBeUndefined()
    expect(estimatePurchase('100', '0', card)?.crypto).toBeUndefined()
    expect(estimatePurchase('100', '1', undefined)).toBeUndefined()
  })

  test.each(['', '0', '-5', 'abc'])('%j has no estimate', (amount) => {
    expect(estimatePurchase(amount, '1', card)).toBeUndefined()
  })
})

test('what dollars buy is cut to what the exchange can buy, never rounded up', () => {
  expect(cryptoFor('100', '3', 8)).toBe('33.33333333')
  expect(cryptoFor('2', '3', 6)).toBe('0.666666')
  expect(cryptoFor('300', '3', 8)).toBe('100')
})

test('a bar never leaves its track', () => {
  expect([portion('5', '10'), portion('11', '10'), portion('1', '0')]).toEqual([0.5, 1, 0])
})
