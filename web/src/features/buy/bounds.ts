import type { Limits } from '@/api/types.gen'
import { usd } from '@/lib/format'
import { beforeFees, compare } from '@/lib/money'
import { buy } from '@/messages/buy'

const periods = ['single', 'day', 'month'] as const

/** The least and the most a customer can buy by a method, in dollars before fees. */
export function boundsOf(limits: Limits | undefined, method: string): { least?: string; most?: string } {
  const own = limits?.methods.find((one) => one.method === method)
  if (!limits || !own) return {}
  const left = periods
    .map((period) => limits[period].remaining)
    .filter((remaining): remaining is string => limits.verified && typeof remaining === 'string')
    .map((remaining) => beforeFees(remaining, own.margin, own.processingFee))
  const [most] = [...left, ...(own.maxAmount ? [own.maxAmount] : [])].sort(compare)
  const room = most !== undefined && compare(most, own.minAmount) >= 0
  return { least: own.minAmount, ...(room ? { most } : {}) }
}

/** Which of a customer's own limits a total passes, as a sentence. */
export function limitPassed(limits: Limits | undefined, total: string | undefined): string | undefined {
  if (!limits?.verified || total === undefined) return undefined
  const period = periods.find((one) => {
    const { remaining } = limits[one]
    return typeof remaining === 'string' && compare(total, remaining) > 0
  })
  return period && buy.overLimit[period](usd(limits[period].remaining))
}
