import { describe, expect, test } from 'vitest'
import {
  cardName,
  countdown,
  crypto,
  exactTime,
  groupsOfFour,
  longTime,
  MISSING,
  percent,
  shortTime,
  spaced,
  usd,
  utcTime,
} from './format'

describe('money on the screen', () => {
  test.each([
    ['0', '$0.00'],
    ['1234.5', '$1,234.50'],
    ['90071992547409.93', '$90,071,992,547,409.93'],
    ['-3.10', '-$3.10'],
  ])('%s dollars read %s', (amount, text) => expect(usd(amount)).toBe(text))

  test.each([null, undefined, '', 'NaN', '1e5'])('%j shows as missing, never as zero', (amount) => {
    expect(usd(amount)).toBe(MISSING)
    expect(crypto(amount)).toBe(MISSING)
  })

  test.each([
    ['0.00150000', '0.0015'],
    ['12.00000000', '12'],
    ['1234567.000000000000000001', '1,234,567.000000000000000001'],
  ])('%s coins read %s', (amount, text) => expect(crypto(amount)).toBe(text))

  test('percent', () => expect(percent('3.50')).toBe('3.5%'))
})

test('an address in groups of four loses nothing', () => {
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  expect(groupsOfFour(address).join('')).toBe(address)
  expect(groupsOfFour(address)[0]).toBe('bc1q')
})

test("specification §2: 'MMM dd, HH:mm'", () => {
  expect(shortTime('2026-03-05T07:08:09Z')).toMatch(/^[A-Z][a-z]{2} \d{2}, \d{2}:\d{2}$/)
  expect(shortTime(null)).toBe(MISSING)
})

test('one clock: 24 hours, with the time zone where the date is long, with seconds only in the log', () => {
  expect(longTime('2026-03-05T17:08:09Z')).toMatch(/^March \d, 2026 at \d{2}:\d{2} (UTC|GMT|[A-Z]{3,4})/)
  expect(exactTime('2026-03-05T17:08:09Z')).toMatch(/^Mar \d{2}, \d{2}:\d{2}:09$/)
  expect(longTime('2026-03-05T17:08:09Z') + shortTime('2026-03-05T17:08:09Z')).not.toMatch(/:09|[AP]M/)
})

test('UTC for the hover', () => expect(utcTime('2026-03-05T07:08:09.123Z')).toBe('2026-03-05 07:08:09 UTC'))

test('a countdown never goes below zero', () => {
  expect([countdown(65), countdown(5), countdown(-3)]).toEqual(['1:05', '0:05', '0:00'])
})

test('underscores as spaces', () => expect(spaced('domestic_wire')).toBe('domestic wire'))

test('a card is named only when there is one', () => {
  expect(cardName('visa', '4242')).toBe('Visa •••• 4242')
  expect(cardName('visa', null)).toBeUndefined()
})
