/** Display only: strings in, text out, as the page's language writes it. What is missing shows as "—", never as 0. */
import { locale, shortDay } from '@/messages/locale'

export const MISSING = '—'

const usdFormat = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })

/** Decimal strings go to Intl as they are: it reads them exactly. */
function exact(amount: string): Intl.StringNumericLiteral {
  return amount as Intl.StringNumericLiteral
}

function isNumeric(value: string | null | undefined): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
}

/** "$1,234.50" */
export function usd(amount: string | null | undefined): string {
  return isNumeric(amount) ? usdFormat.format(exact(amount)) : MISSING
}

const signedFormat = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  signDisplay: 'exceptZero',
})

/** "+$20.00", "−$20.00" */
export function signedUsd(amount: string | null | undefined): string {
  return isNumeric(amount) ? signedFormat.format(exact(amount)).replace('-', '−') : MISSING
}

/** "0.00100000" → "0.001"; the grouping of the whole part is the reader's. */
export function crypto(amount: string | null | undefined): string {
  if (!isNumeric(amount)) return MISSING
  const [whole = '0', fraction = ''] = amount.split('.')
  const kept = fraction.replace(/0+$/, '')
  const grouped = new Intl.NumberFormat(locale).format(exact(whole))
  return kept ? `${grouped}.${kept}` : grouped
}

/** "3.5 %" from "3.50". */
export function percent(value: string | null | undefined): string {
  return isNumeric(value) ? `${crypto(value)}%` : MISSING
}

/** An amount of a currency, with every digit of it: "$60.50", "0.003 BTC", "3.5%". */
export function amountIn(unit: string | undefined, amount: string): string {
  if (unit === 'USD') return (amount.split('.')[1] ?? '').length > 2 ? `$${crypto(amount)}` : usd(amount)
  if (unit === '%') return percent(amount)
  return unit ? `${crypto(amount)} ${unit}` : figure(amount)
}

/** "1,204" */
export function count(value: number | null | undefined): string {
  return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : MISSING
}

/** "domestic_wire" → "domestic wire" */
export function spaced(code: string): string {
  return code.replaceAll('_', ' ')
}

/** "in_review" → "In review", as a status stands on its badge. */
export function titled(code: string): string {
  return code.charAt(0).toUpperCase() + spaced(code.slice(1))
}

/** "Visa •••• 4242", or nothing without a card. */
export function cardName(
  brand: string | null | undefined,
  last4: string | null | undefined,
): string | undefined {
  if (!last4) return undefined
  const name = brand ? brand.charAt(0).toUpperCase() + brand.slice(1) : ''
  return `${name} •••• ${last4}`.trim()
}

/** A full address in groups of four. */
export function groupsOfFour(address: string): string[] {
  return address.match(/.{1,4}/g) ?? []
}

/** "bc1qw508…f3t4": for lists; never where a person confirms. */
export function shortened(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`
}

const cardStamp = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: shortDay,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** The specification's 'MMM dd, HH:mm', in local time. */
export function shortTime(iso: string | null | undefined): string {
  const date = parseTime(iso)
  return date ? cardStamp.format(date) : MISSING
}

const longStamp = new Intl.DateTimeFormat(locale, {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})

/** "November 21, 2026 at 15:04 GMT+1", in local time. */
export function longTime(iso: string | null | undefined): string {
  const date = parseTime(iso)
  return date ? longStamp.format(date) : MISSING
}

const exactStamp = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: shortDay,
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** "Nov 21, 15:04:05", in local time: for the log of an order. */
export function exactTime(iso: string | null | undefined): string {
  const date = parseTime(iso)
  return date ? exactStamp.format(date) : MISSING
}

/** The reader's time zone: "Europe/Madrid". */
export function timeZone(): string {
  return exactStamp.resolvedOptions().timeZone.replaceAll('_', ' ')
}

/** "2026-11-21 15:04:05 UTC" */
export function utcTime(iso: string | null | undefined): string {
  const date = parseTime(iso)
  return date ? `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC` : MISSING
}

const dayStamp = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** "Nov 21, 2026" */
export function day(iso: string | null | undefined): string {
  const date = parseTime(iso)
  return date ? dayStamp.format(date) : MISSING
}

function parseTime(iso: string | null | undefined): Date | undefined {
  if (!iso) return undefined
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** "1:05" from 65 seconds. */
export function countdown(seconds: number): string {
  const left = Math.max(0, seconds)
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

/** "12 seconds ago", "in 3 minutes" */
export function ago(iso: string, now: number): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000)
  const size = Math.abs(seconds)
  if (size < 60) return relative.format(seconds, 'second')
  if (size < 3600) return relative.format(Math.round(seconds / 60), 'minute')
  if (size < 86_400) return relative.format(Math.round(seconds / 3600), 'hour')
  return relative.format(Math.round(seconds / 86_400), 'day')
}

/** "2 days 4 hours", "3 hours 12 minutes", "4 minutes", "50 seconds": the two largest units. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts: [number, Unit][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
  ]
  const first = parts.findIndex(([size]) => size > 0)
  if (first < 0) return counted(seconds, 'second')
  return parts
    .slice(first, first + 2)
    .filter(([size]) => size > 0)
    .map(([size, unit]) => counted(size, unit))
    .join(' ')
}

type Unit = 'day' | 'hour' | 'minute' | 'second'

function counted(size: number, unit: Unit): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(size)
}

/** "1,234.50", "−0.001": a figure of the ledger, whose currency stands beside it. */
export function figure(amount: string | null | undefined): string {
  if (!isNumeric(amount)) return MISSING
  const [whole = '0', fraction] = amount.replace('-', '').split('.')
  const grouped = new Intl.NumberFormat(locale).format(exact(whole))
  return `${amount.startsWith('-') ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`
}
