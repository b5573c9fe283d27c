import Big from 'big.js'
import { describe, expect, test } from 'vitest'
import { pointOf, type Reader, type Reading, readAmount } from './amount'
import { hostile, locales, numbers, readingOf } from './amount.fixture'
import { parseAmount } from './money'

const english: Reader = { point: '.', unit: 'USD' }
const spanish: Reader = { point: '', unit: 'USD' }
const readers = [english, spanish]

const value = (text: string, reader = english) => {
  const reading = readAmount(text, reader)
  return reading.kind === 'amount' ? reading.value : reading.kind === 'refused' ? reading.why : reading.kind
}

test.each(['en-US@posix', 'C', ''])(
  'the browser’s language %j is no locale: no mark is certain',
  (browser) => {
    expect(pointOf('en', browser)).toBe('')
  },
)

describe('an amount, as people write it', () => {
  test.each([
    ['60,50', '60.50'],
    ['0,003', '0.003'],
    ['0.003', '0.003'],
    ['.5', '0.5'],
    ['5,', '5'],
    ['007', '7'],
    ['1,234.50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['1,234,567', '1234567'],
    ['1.234.567,8', '1234567.8'],
    ['12,34,567.8', '1234567.8'],
    ['1 234,5', '1234.5'],
    ['1\u00a0234.5', '1234.5'],
    ['1\u202f234\u202f567', '1234567'],
    ['1’234.50', '1234.50'],
    ["1'234", '1234'],
    [' $60.50\t', '60.50'],
    ['US$ 60', '60'],
    ['60,5 usd', '60.5'],
    ['1234,567', '1234.567'],
  ])('%j is %s to everybody', (text, plain) => {
    for (const reader of readers) expect(value(text, reader)).toBe(plain)
  })

  test('what has two meanings is asked about', () => {
    const asked = { kind: 'ambiguous', choices: ['1.234', '1234'] }
    expect(readAmount('1,234', english)).toEqual(asked)
    expect(readAmount('1,234', spanish)).toEqual(asked)
    expect(readAmount('1.234', spanish)).toEqual(asked)
    expect(value('1.234', english)).toBe('1.234')
  })

  test('what would be parts of a cent is no meaning of an amount in cents', () => {
    for (const reader of [english, spanish]) expect(value('1,234', { ...reader, decimals: 2 })).toBe('1234')
    expect(value('1.234', { ...spanish, decimals: 2 })).toBe('1234')
    expect(value('1.234', { ...english, decimals: 2 }), 'its point is certain').toBe('1.234')
  })

  test('a point is certain on an English page, in a browser that writes one', () => {
    expect(pointOf('en', 'en-US')).toBe('.')
    expect(pointOf('en', 'de-DE')).toBe('')
    expect(pointOf('es', 'es-US')).toBe('')
  })

  test('the signs and the code of its own currency, and of no other', () => {
    expect(value('₿0.5', { point: '.', unit: 'BTC' })).toBe('0.5')
    expect(value('0,5 btc', { point: '.', unit: 'BTC' })).toBe('0.5')
    expect(value('3,5 %', { point: '.', unit: '%' })).toBe('3.5')
    expect(value('$60', { point: '.', unit: 'BTC' })).toBe('unit')
    expect(value('60 €')).toBe('unit')
  })
})

test.each(hostile.map((row) => ({ text: row[0], expected: row[1], row })))(
  '$text is refused, or is every digit of it ($expected)',
  ({ text, row }) => {
    for (const unit of ['USD', 'BTC', 'USDC', '%'])
      for (const site of ['en', 'es'] as const)
        expect(value(text, { point: site === 'en' ? '.' : '', unit }), `${unit} ${site}`).toBe(
          readingOf(row, { unit, decimals: 18, site }),
        )
    for (const reader of readers) {
      const reading = readAmount(text, reader)
      for (const read of meanings(reading)) {
        expect(parseAmount(read), 'a plain decimal').toBeDefined()
        expect(digits(read)).toBe(digits(text))
      }
    }
  },
)

const meanings = (reading: Reading) =>
  reading.kind === 'amount' ? [reading.value] : reading.kind === 'ambiguous' ? reading.choices : []

const digits = (text: string) => text.replace(/\D/g, '').replace(/^0+(?=.)/, '')

test.each(locales)('a number as %s writes it is that number, or is asked about: never another', (locale) => {
  const write = new Intl.NumberFormat(locale, { maximumFractionDigits: 18, useGrouping: true })
  for (const site of ['en', 'es']) {
    const point = pointOf(site, locale)
    for (const number of numbers(400)) {
      const text = write.format(number as Intl.StringNumericLiteral)
      const found = meanings(readAmount(text, { point }))
      expect(found, `${text} (${number}) on a page in ${site}`).not.toHaveLength(0)
      expect(
        found.some((read) => new Big(read).eq(number)),
        `${text} means ${number}, not ${found}`,
      ).toBe(true)
    }
  }
})
