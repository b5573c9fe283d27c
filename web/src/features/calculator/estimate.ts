/**
 * What a sum of dollars buys, fees included: whole numbers from end to end, and no decimal library, which a visitor's
 * first page would have to load.
 */

import type { Reading } from '@/lib/amount'

/** Decimals that everything is counted in. */
const SCALE = 18n
const ONE = 10n ** SCALE

/** A plain decimal in units of 10⁻¹⁸, or undefined when it is none. */
function units(decimal: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{0,18}))?$/.exec(decimal) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(Number(SCALE), '0'))
}

/** Cut to so many decimals, as a text. */
function text(value: bigint, decimals: number): string {
  const digits = (value / 10n ** (SCALE - BigInt(decimals))).toString().padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** What was read as dollars and cents above zero: "60.5" → "60.50". */
export function dollarsOf(reading: Reading): string | undefined {
  if (reading.kind !== 'amount') return undefined
  const [, whole, cents = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(reading.value) ?? []
  const dollars = `${whole}.${cents.padEnd(2, '0')}`
  return whole !== undefined && below('0', dollars) ? dollars : undefined
}

export interface Terms {
  /** Percent of the price. */
  margin: string
  /** Dollars on top. */
  processingFee: string
  /** Percent by which a volume tier reduces the price. */
  volumeDiscount?: string
}

export interface Estimate {
  /** Dollars that buy coin. */
  base: string
  /** Dollars of fees. */
  fee: string
  /** Coin, to its decimals. */
  coin: string
}

/** What `dollars` buy in all: base and fees are exactly it. */
export function estimate(
  dollars: string,
  rate: string,
  terms: Terms,
  decimals: number,
): Estimate | undefined {
  const [total, price, gross, off, flat] = [
    dollars,
    rate,
    terms.margin,
    terms.volumeDiscount ?? '0',
    terms.processingFee,
  ].map(units)
  if (
    total === undefined ||
    !price ||
    gross === undefined ||
    off === undefined ||
    flat === undefined ||
    total <= flat
  )
    return undefined
  const margin = gross - off
  const cent = ONE / 100n
  const base = (((total - flat) * ONE * 100n) / (ONE * 100n + margin) / cent) * cent
  if (base <= 0n) return undefined
  return { base: text(base, 2), fee: text(total - base, 2), coin: text((base * ONE) / price, decimals) }
}

/** Is the one decimal below the other? */
export function below(a: string, b: string): boolean {
  return (units(a) ?? 0n) < (units(b) ?? 0n)
}
