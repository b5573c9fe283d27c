import type { Limits } from '@/api/types.gen'
import { usd } from '@/lib/format'
import { add, beforeFees, compare, fiatAtLeast } from '@/lib/money'
import type { User } from '@/lib/session'
import { buy } from '@/messages/buy'

const periods = ['single', 'day', 'month'] as const

/** The exchange's smallest order of a coin, in dollars at a rate. */
function smallestOf(limits: Limits, asset: string, rate: string | undefined): string {
  const smallest = limits.assets.find((one) => one.asset === asset)?.smallest
  return smallest && rate ? fiatAtLeast(smallest, rate) : '0'
}

/** What sending a coin costs, in dollars: the balance pays for no less than this and the smallest order. */
function networkFeeOf(limits: Limits, asset: string): string {
  return limits.assets.find((one) => one.asset === asset)?.networkFee ?? '0'
}

/** The least and the most a customer can buy by a method, in dollars before fees; from the balance what it pays for. */
export function boundsOf(
  limits: Limits | undefined,
  method: string,
  balance: string,
  asset: string,
  rate: string | undefined,
): { least?: string; most?: string } {
  const own = limits?.methods.find((one) => one.method === method)
  if (!limits || !own) return {}
  const left = periods
    .map((period) => limits[period].remaining)
    .concat(method === 'balance' ? balance : [])
    .filter((remaining): remaining is string => limits.verified && typeof remaining === 'string')
    .map((remaining) => beforeFees(remaining, own.margin, own.processingFee))
  const [most] = [...left, ...(own.maxAmount ? [own.maxAmount] : [])].sort(compare)
  const order = smallestOf(limits, asset, rate)
  const smallest = method === 'balance' ? add(order, networkFeeOf(limits, asset)) : order
  const least = compare(smallest, own.minAmount) > 0 ? smallest : own.minAmount
  const room = most !== undefined && compare(most, least) >= 0
  return { least, ...(room ? { most } : {}) }
}

/** A total that the balance does not pay, as a sentence. */
export function balancePassed(
  { accountBalance }: Pick<User, 'accountBalance'>,
  total: string | undefined,
): string | undefined {
  const short = total !== undefined && compare(total, accountBalance) > 0
  return short ? buy.overBalance(usd(accountBalance)) : undefined
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
