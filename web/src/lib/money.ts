/**
 * Amounts are decimal strings from end to end; arithmetic is Big's, never a float's.
 * Fiat has 2 decimals; crypto has at most its asset's own.
 */
import Big from 'big.js'

Big.DP = 18
Big.NE = -30
Big.PE = 40

/** A plain decimal: digits, at most one point; no sign, exponent, space or separator. */
const plain = /^\d{1,30}(\.\d{0,18})?$|^\.\d{1,18}$/

/** The amount a person typed, or undefined when it is not a plain number. "." and "" are not. */
export function parseAmount(text: string): Big | undefined {
  const trimmed = text.trim()
  return plain.test(trimmed) ? new Big(trimmed.replace(/\.$/, '') || '0') : undefined
}

/** Is it a number above zero? */
export function isPositive(text: string): boolean {
  return parseAmount(text)?.gt(0) ?? false
}

/** How many decimals were written. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}

/** The nearest amount above zero with at most `decimals` decimals. */
export function nearest(amount: string, decimals: number): string {
  const rounded = new Big(amount).round(decimals, Big.roundHalfUp)
  return (rounded.gt(0) ? rounded : new Big(10).pow(-decimals)).toFixed()
}

/** −1, 0 or 1. */
export function compare(a: string, b: string): number {
  return new Big(a).cmp(new Big(b))
}

/** Two amounts of dollars together. */
export function add(a: string, b: string): string {
  return new Big(a).plus(b).toFixed(2)
}

/** What is left of `whole` after `part`, in dollars; never below zero. */
export function remainder(whole: string, part: string): string {
  const left = new Big(whole).minus(part)
  return (left.lt(0) ? new Big(0) : left).toFixed(2)
}

/** `share` of 1 (limits' bars), as a number between 0 and 1 for display only. */
export function portion(part: string, whole: string): number {
  const total = new Big(whole)
  if (total.lte(0)) return 0
  const ratio = new Big(part).div(total).toNumber()
  return Math.min(1, Math.max(0, ratio))
}

/** The dashboard's estimate: the method's own fee, and the crypto that the amount buys at `rate` (USD). */
export function estimatePurchase(
  amountFiat: string,
  rate: string | undefined,
  terms: { margin: string; processingFee: string; volumeDiscount?: string } | undefined,
): { fee: string; discount: string; total: string; crypto: string | undefined } | undefined {
  const amount = parseAmount(amountFiat)
  if (!amount || amount.lte(0) || !terms) return undefined
  const fee = amount.times(terms.margin).div(100).round(2, Big.roundHalfUp).plus(terms.processingFee)
  const discount = amount
    .times(terms.volumeDiscount ?? 0)
    .div(100)
    .round(2, Big.roundHalfUp)
  const priced = rate !== undefined && new Big(rate).gt(0)
  return {
    fee: fee.toFixed(2),
    discount: discount.toFixed(2),
    total: amount.plus(fee).minus(discount).toFixed(2),
    crypto: priced ? amount.div(rate).toFixed(8, Big.roundDown) : undefined,
  }
}

/** Dollars for `amount` of a coin at `rate`, to the cent. */
export function fiatFor(amount: string, rate: string): string {
  return new Big(amount).times(rate).toFixed(2, Big.roundHalfUp)
}

/** The fewest whole cents that buy at least `amount` of a coin at `rate`. */
export function fiatAtLeast(amount: string, rate: string): string {
  return new Big(amount).times(rate).toFixed(2, Big.roundUp)
}

/** What one whole coin costs when `amount` of it costs `total`. */
export function unitCost(total: string, amount: string): string {
  return new Big(total).div(amount).toFixed(2, Big.roundHalfUp)
}

/** The largest price before fees whose total is within `most`. */
export function beforeFees(most: string, margin: string, fee: string): string {
  const base = new Big(most).minus(fee).div(new Big(margin).div(100).plus(1)).round(2, Big.roundDown)
  return (base.gt(0) ? base : new Big(0)).toFixed(2)
}

/** The coin for a bound in dollars, with a small margin: the price may move before the quote. */
export function coinWithin(fiat: string, rate: string, decimals: number, bound: 'least' | 'most'): string {
  const share = bound === 'least' ? '1.005' : '0.995'
  const round = bound === 'least' ? Big.roundUp : Big.roundDown
  return new Big(new Big(fiat).times(share).div(rate).toFixed(decimals, round)).toFixed()
}

/** What `fiat` buys at `rate`, cut to `decimals`, without trailing zeros. */
export function cryptoFor(fiat: string, rate: string, decimals: number): string {
  return new Big(new Big(fiat).div(rate).toFixed(decimals, Big.roundDown)).toFixed()
}
