import { expect, test } from 'vitest'
import { HEIGHT, lineOf, WIDTH } from './line'

const at = Date.parse('2026-11-24T12:00:00Z')
const points = (...prices: string[]) =>
  prices.map((price, index) => ({
    at: new Date(at - (prices.length - index) * 600_000).toISOString(),
    price,
  }))

test('a line runs from the first point to the price of now, and says how far it went', () => {
  const line = lineOf(points('100', '90', '110'), '120', at)
  const numbers = line?.path.match(/-?[\d.]+/g)?.map(Number) ?? []
  expect(numbers).toHaveLength(8)
  expect(numbers[0]).toBe(0)
  expect(numbers[6]).toBe(WIDTH)
  expect(numbers[3]).toBe(HEIGHT - 2) // the lowest
  expect(numbers[7]).toBe(2) // the highest
  expect(line?.change).toBeCloseTo(20)
  expect(line?.since).toBe('2026-11-24T11:30:00.000Z')
})

test('too few points are no line, a coin that keeps its price a flat one', () => {
  expect(lineOf(undefined, '1', at)).toBeUndefined()
  expect(lineOf(points('1', '1'), '1', at)).toBeUndefined()
  const heights = lineOf(points('1.0001', '0.9999', '1'), undefined, at)
    ?.path.match(/ [\d.]+/g)
    ?.map(Number)
  expect(Math.max(...(heights ?? [])) - Math.min(...(heights ?? []))).toBeLessThan(2)
})
