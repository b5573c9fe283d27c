import { expect, test } from 'vitest'
import { readAmount } from '@/lib/amount'
import { hostile } from '@/lib/amount.fixture'
import { below, dollarsOf, estimate } from './estimate'

const card = { margin: '3.5', processingFee: '0.00' }
const wire = { margin: '1', processingFee: '15.00' }

test('base and fee are the sum that is paid, to the cent, and the coin is what the base buys', () => {
  expect(estimate('100.00', '50000', card, 8)).toEqual({ base: '96.61', fee: '3.39', coin: '0.00193220' })
  expect(estimate('100.00', '1.0004', card, 6)).toEqual({ base: '96.61', fee: '3.39', coin: '96.571371' })
  expect(estimate('1015.00', '50000', wire, 8)).toEqual({ base: '990.09', fee: '24.91', coin: '0.01980180' })
})

test('what buys nothing is no estimate', () => {
  expect(estimate('15.00', '50000', wire, 8)).toBeUndefined()
  expect(estimate('100.00', '0', card, 8)).toBeUndefined()
  expect(estimate('100.00', 'N/A', card, 8)).toBeUndefined()
})

const read = (typed: string, point: '.' | '' = '.') => readAmount(typed, { point, unit: 'USD', decimals: 2 })

test('dollars are read as everywhere, in whole cents, and nothing is swallowed', () => {
  for (const [typed, sum] of [
    ['100', '100.00'],
    ['60,50', '60.50'],
    [' $ 60.5 ', '60.50'],
    ['007', '7.00'],
    ['1,234.50', '1234.50'],
    ['$1,000', '1000.00'],
    ['1 000', '1000.00'],
    ['1,234', '1234.00'],
    ['1.234', undefined],
    ['60.505', undefined],
    ['1e3', undefined],
    ['-5', undefined],
    ['0', undefined],
    ['0,00', undefined],
    ['', undefined],
    ['1'.repeat(30), undefined],
  ] as const)
    expect(dollarsOf(read(typed)), typed).toBe(sum)
})

test.each(hostile.map(([typed]) => typed))('%j is no sum, or is every digit of it', (typed) => {
  const digits = (text: string) => text.replace(/\D/g, '').replace(/^0+(?=.)/, '')
  for (const sum of [dollarsOf(read(typed)) ?? [], dollarsOf(read(typed, '')) ?? []].flat())
    expect(digits(sum).replace(/0+$/, ''), sum).toBe(digits(typed).replace(/0+$/, ''))
})

test('decimals are compared as numbers', () => {
  expect(below('9.5', '10')).toBe(true)
  expect(below('50.00', '50')).toBe(false)
})
