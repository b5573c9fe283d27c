import type { PricePoint } from '@/api/types.gen'

const DAY_MS = 86_400_000

/** Fewer points than these are no line. */
const LEAST = 3

/** The least share of the price that the height stands for: a coin that keeps its price shows a flat line. */
const LEAST_RANGE = 0.005

export const WIDTH = 120
export const HEIGHT = 36

export interface Line {
  path: string
  /** Percent since the first point, with two decimals. */
  change: number
  /** When it begins, where that is less than a day ago. */
  since: string | undefined
}

/** A day's prices as a line, for display only; the price of now is its end. */
export function lineOf(
  points: readonly PricePoint[] | undefined,
  now: string | undefined,
  at: number,
): Line | undefined {
  const first = points?.[0]
  if (!points || !first || points.length < LEAST) return undefined
  const all = points.map((point) => ({ at: Date.parse(point.at), price: Number(point.price) }))
  if (now) all.push({ at, price: Number(now) })
  const prices = all.map(({ price }) => price)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const range = Math.max(high - low, high * LEAST_RANGE)
  const bottom = (low + high - range) / 2
  const begin = Math.min(all[0]?.at ?? at, at - 1)
  const path = all
    .map(({ at: then, price }, index) => {
      const x = ((then - begin) / (at - begin)) * WIDTH
      const y = HEIGHT - 2 - ((price - bottom) / range) * (HEIGHT - 4)
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
  const start = Number(first.price)
  const end = prices[prices.length - 1] ?? start
  return {
    path,
    change: ((end - start) / start) * 100,
    since: at - begin < DAY_MS - 3_600_000 ? first.at : undefined,
  }
}
