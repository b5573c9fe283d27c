import Big from 'big.js'
import { plain, squeezed } from '@/lib/clean'
import { parseAmount } from '@/lib/money'
import { giftCards } from '@/messages/gift-cards'

/** The trade card's form: which fields a card of a type has, and what is missing (specification §5). */
export interface CardForm {
  brand: string
  cardType: 'regular' | 'prepaid'
  value: string
  cardCode: string
  pin: string
  expirationDate: string
  securityCode: string
}

export type CardField = keyof typeof giftCards.fieldNames

export const emptyForm: CardForm = {
  brand: '',
  cardType: 'regular',
  value: '',
  cardCode: '',
  pin: '',
  expirationDate: '',
  securityCode: '',
}

/** What has a value to any reader: no draft stores it. */
export const secrets = ['cardCode', 'pin', 'expirationDate', 'securityCode'] as const

/** specification §5's lengths of prepaid cards; a regular card's are the server's. */
export const lengths = {
  prepaidCode: 19,
  regularCode: 32,
  expirationDate: 5,
  securityCode: 4,
  pin: 16,
} as const

export const imageTypes = ['image/jpeg', 'image/png'] as const
export const MAX_IMAGE_BYTES = 8 * 1024 * 1024

function fieldsOf(form: CardForm): CardField[] {
  return form.cardType === 'prepaid'
    ? ['brand', 'value', 'cardCode', 'expirationDate', 'securityCode']
    : ['brand', 'value', 'cardCode', 'pin']
}

/** Required fields that are not filled in, in the order of the form. */
export function missing(form: CardForm): CardField[] {
  return fieldsOf(form).filter((field) => form[field].trim() === '')
}

/** The specification's message: 'Please fill in all required fields: ' plus field names. */
export function missingText(fields: readonly CardField[]): string {
  return giftCards.required + fields.map((field) => giftCards.fieldNames[field]).join(', ')
}

/** Whether a card is worth more than we take. */
export function isTooMuch(value: string, most: string): boolean {
  return parseAmount(value)?.gt(most) ?? false
}

/** What a card pays: a part of its value less a fee, rounded down to the cent as the server does; else nothing. */
export function payout(value: string, rate: string, fee: string): string | undefined {
  const amount = parseAmount(value)
  if (!amount?.gt(0)) return undefined
  const pays = amount.times(rate).round(2, Big.roundDown).minus(fee)
  return pays.gt(0) ? pays.toFixed(2) : undefined
}

const month = '(0[1-9]|1[0-2])'
/** Month and year in the orders in which people and browsers write them; years have two digits or four. */
const dates = [
  { written: /^(0?[1-9]|1[0-2])\/(?:20)?(\d\d)$/, year: 2 },
  { written: new RegExp(`^${month}(?:20)?(\\d\\d)$`), year: 2 },
  { written: new RegExp(`^20(\\d\\d)/?${month}(?:/\\d\\d)?$`), year: 1 },
]

/** With one slash for whatever was written between the parts. */
const slashed = (text: string) =>
  plain(text)
    .trimStart()
    .replace(/[ ./\\-]+/g, '/')

/** The date as MM/YY, or undefined: it is no month and year, or not yet. */
export function expiryOf(text: string): string | undefined {
  const said = slashed(text).replace(/\/$/, '')
  for (const { written, year } of dates) {
    const found = written.exec(said)
    if (found) return `${found[3 - year]?.padStart(2, '0')}/${found[year]}`
  }
  return undefined
}

/** What the field shows of what was typed: MM/YY once it is understood; taking a character away takes only that. */
export function expiryTyped(before: string, typed: string): string {
  const said = slashed(typed)
  if (said.length < before.length) return said
  return (
    expiryOf(typed) ??
    said.replace(new RegExp(`^${month}$`), '$1/').replace(new RegExp(`^${month}(\\d)$`), '$1/$2')
  )
}

/** What is sent of a card: without what people write between its groups. */
export function cleaned(form: CardForm): CardForm {
  return {
    ...form,
    value: form.value.trim(),
    cardCode: squeezed(form.cardCode),
    pin: squeezed(form.pin),
    expirationDate: expiryOf(form.expirationDate) ?? slashed(form.expirationDate),
    securityCode: squeezed(form.securityCode),
  }
}

type Mistakes = Partial<Record<CardField, string>>

/** What is longer than it can be, once cleaned: it stays as it was typed, and is not sent. */
export function tooLong(form: CardForm): Mistakes {
  const card = cleaned(form)
  const limits: readonly (readonly [CardField, number])[] =
    form.cardType === 'prepaid'
      ? [
          ['cardCode', lengths.prepaidCode],
          ['securityCode', lengths.securityCode],
        ]
      : [
          ['cardCode', lengths.regularCode],
          ['pin', lengths.pin],
        ]
  const over = limits.filter(([field, limit]) => card[field].length > limit)
  const dated = form.cardType === 'prepaid' && card.expirationDate.length > 'YYYY/MM'.length
  return Object.fromEntries([
    ...over.map(([field, limit]) => [field, giftCards.tooLong(giftCards.fieldNames[field], limit)]),
    ...(dated ? [['expirationDate', giftCards.badExpiry]] : []),
  ])
}

/** What cannot be sent as it is. */
export function malformed(form: CardForm): Mistakes {
  const undated = form.cardType === 'prepaid' && expiryOf(form.expirationDate) === undefined
  return { ...(undated ? { expirationDate: giftCards.badExpiry } : {}), ...tooLong(form) }
}
