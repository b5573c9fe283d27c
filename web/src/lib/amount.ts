/**
 * Parses an amount as people write it, and never guesses: an ambiguous text is asked about, an invalid one is
 * refused. Every digit that was typed is a digit of the amount.
 */
import type { Asset } from '@/api/lists.gen'
import { language } from '@/messages/locale'

export type Refusal = 'unfinished' | 'sign' | 'exponent' | 'hidden' | 'digits' | 'unit' | 'shape' | 'long'

export type Reading =
  | { kind: 'empty' }
  | { kind: 'amount'; value: string }
  /** The decimal mark first, then the grouping mark. */
  | { kind: 'ambiguous'; choices: readonly [string, string] }
  | { kind: 'refused'; why: Refusal }

export interface Reader {
  /** The mark that this reader only ever uses for decimals; '' when both marks can group. */
  point: '.' | ',' | ''
  /** The currency the field is in. Its code and its signs can be written, no other's. */
  unit?: string
  /** Of the unit: a mark before three digits groups them where there are fewer. 18 where it is left out. */
  decimals?: number
}

/** Spanish groups with a point in one country and with a comma in another, so neither mark is certain there. */
export function pointOf(site: string, browser: string): Reader['point'] {
  return site === 'en' && decimalMark(browser) === '.' ? '.' : ''
}

/** '' for a language tag that Intl refuses, such as the en-US@posix of a browser without a locale. */
function decimalMark(browser: string): string {
  try {
    return new Intl.NumberFormat(browser).format(1.5).replace(/\d/g, '')
  } catch {
    return ''
  }
}

let ownPoint: Reader['point'] | undefined

/** The mark of this page and this browser. */
export function certainPoint(): Reader['point'] {
  ownPoint ??= pointOf(language, globalThis.navigator?.language || 'en-US')
  return ownPoint
}

const signs: Readonly<Record<string, string>> = {
  USD: 'US\\$|USD|\\$',
  BTC: 'BTC|XBT|₿',
  ETH: 'ETH|Ξ',
  USDT: 'USDT|₮',
  USDC: 'USDC',
  '%': '%',
} satisfies Record<Asset | 'USD' | '%', string>

const refuse = (why: Refusal): Reading => ({ kind: 'refused', why })

/** Controls, and what has no width or turns the direction of writing. */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/u
const grouped = /^\d{1,3}(?:([ '.,])\d{3})(?:\1\d{3})*$/
const indian = /^\d{1,2}(?:,\d{2})+,\d{3}$/

/** What a text says in a field of `unit`. */
export function readAmount(text: string, { point, unit = '', decimals = 18 }: Reader): Reading {
  const typed = text.trim()
  if (typed === '') return { kind: 'empty' }
  if (typed.length > 80) return refuse('long')
  if (hidden.test(typed)) return refuse('hidden')
  const bare = withoutUnit(typed.replace(/\p{Zs}/gu, ' ').replace(/[’ʼ]/g, "'"), unit)
  if (/^[.,]?$/.test(bare)) return refuse('unfinished')
  if (!/^[\d., ']+$/.test(bare)) return refuse(whyNot(bare))
  return readNumber(bare, point, decimals)
}

function withoutUnit(text: string, unit: string): string {
  const own = signs[unit]
  if (!own) return text
  return text.replace(new RegExp(`^(?:${own}) ?`, 'iu'), '').replace(new RegExp(` ?(?:${own})$`, 'iu'), '')
}

function whyNot(text: string): Refusal {
  if (/[\p{Nd}\p{Nl}\p{No}]/u.test(text.replace(/[0-9]/g, ''))) return 'digits'
  if (/^[\d.,]+e[+-]?\d*$/i.test(text)) return 'exponent'
  if (/^[-+−–—(]/.test(text)) return 'sign'
  return /^[\p{L}\p{Sc}%]+ ?[\d., ']+$|^[\d., ']+ ?[\p{L}\p{Sc}%]+$/u.test(text) ? 'unit' : 'shape'
}

function readNumber(text: string, point: Reader['point'], decimals: number): Reading {
  const marks = text.replace(/\d/g, '')
  if (marks.length === 1 && /[.,]/.test(marks)) {
    const asDecimal = text.replace(',', '.')
    const asGroup = text.replace(/[.,]/, '')
    const both = /^[1-9]\d{0,2}[.,]\d{3}$/.test(text) && marks !== point
    if (!both) return amount(asDecimal)
    return decimals < 3 ? amount(asGroup) : { kind: 'ambiguous', choices: [asDecimal, asGroup] }
  }
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const repeated = last >= 0 && text.indexOf(text.charAt(last)) < last
  const whole = last >= 0 && !repeated ? text.slice(0, last) : text
  if (!/^\d+$/.test(whole) && !grouped.test(whole) && !indian.test(whole)) return refuse('shape')
  return amount(whole.replace(/\D/g, '') + (whole === text ? '' : `.${text.slice(last + 1)}`))
}

function amount(plain: string): Reading {
  const [whole = '', fraction = ''] = plain.split('.')
  const kept = whole.replace(/^0+(?=\d)/, '') || '0'
  if (kept.length > 30 || fraction.length > 18) return refuse('long')
  return { kind: 'amount', value: fraction ? `${kept}.${fraction}` : kept }
}

/**
 * What a form keeps of a text that is not an amount: never a plain decimal, so that it is never parsed as
 * one.
 */
const UNREAD = '?'

/** What a form keeps of a text: a plain decimal of at most `decimals` places, nothing, or what is not an amount. */
export function keptOf(text: string, reading: Reading, decimals = 18): string {
  if (reading.kind === 'empty') return ''
  const places = reading.kind === 'amount' ? (reading.value.split('.')[1] ?? '').length : decimals
  return reading.kind === 'amount' && places <= decimals ? reading.value : text + UNREAD
}

/** What a field shows of what a form keeps. */
export function shownOf(kept: string): string {
  return kept.endsWith(UNREAD) ? kept.slice(0, -1) : kept
}
