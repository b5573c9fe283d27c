import Big from 'big.js'
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

/** specification §5's lengths of prepaid cards; a regular card's are its brand's. */
export const lengths = {
  prepaidCode: 19,
  regularCode: 64,
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

/** "0940" becomes "09/40" while it is typed; taking a character away takes only that. */
export function expiryTyped(before: string, typed: string): string {
  const digits = typed.replace(/[^\d/]/g, '').slice(0, lengths.expirationDate)
  return /^\d{2}$/.test(digits) && digits.length > before.length
    ? `${digits}/`
    : digits.replace(/^(\d{2})(\d)/, '$1/$2')
}
