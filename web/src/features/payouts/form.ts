import type { NewPayout } from '@/api/types.gen'
import { squeezed } from '@/lib/clean'
import { usd } from '@/lib/format'
import { compare, decimalsOf, parseAmount } from '@/lib/money'
import { payouts } from '@/messages/payouts'

/** The request, as it was typed. */
export type PayoutForm = Required<Omit<NewPayout, 'accountKind'>> & { accountKind: 'us' | 'iban' }

export type PayoutField = Exclude<keyof PayoutForm, 'accountKind'>

export type Mistakes = Partial<Record<PayoutField, string>>

export const emptyForm: PayoutForm = {
  amount: '',
  accountKind: 'us',
  accountHolder: '',
  routingNumber: '',
  accountNumber: '',
  iban: '',
}

/** Numbers of a bank account: no draft keeps them. */
export const accountNumbers = ['routingNumber', 'accountNumber', 'iban'] as const

const { mistakes: texts } = payouts

/** What is sent: the fields of the chosen kind of account only. */
export function wanted(form: PayoutForm): NewPayout {
  const { accountKind } = form
  const own =
    accountKind === 'us'
      ? { routingNumber: squeezed(form.routingNumber), accountNumber: squeezed(form.accountNumber) }
      : { iban: squeezed(form.iban).toUpperCase() }
  return { accountKind, amount: form.amount.trim(), accountHolder: form.accountHolder.trim(), ...own }
}

/** What the server would refuse, field by field, with its messages; the server validates again. */
export function mistakesIn(form: PayoutForm, available: string, least: string): Mistakes {
  const body = wanted(form)
  const found: Record<PayoutField, string | undefined> = {
    amount: amountMistake(body.amount, available, least),
    accountHolder: holderMistake(body.accountHolder),
    routingNumber: body.routingNumber === undefined ? undefined : routingMistake(body.routingNumber),
    accountNumber:
      body.accountNumber === undefined || /^\d{4,17}$/.test(body.accountNumber) ? undefined : texts.account,
    iban: body.iban === undefined ? undefined : ibanMistake(body.iban),
  }
  return Object.fromEntries(Object.entries(found).filter(([, text]) => text !== undefined))
}

function amountMistake(amount: string, available: string, least: string): string | undefined {
  if (!parseAmount(amount)?.gt(0) || decimalsOf(amount) > 2) return texts.amount
  if (compare(amount, least) < 0) return texts.least(usd(least))
  return compare(amount, available) > 0 ? texts.most(usd(available)) : undefined
}

function holderMistake(holder: string): string | undefined {
  if (!holder) return texts.holder
  return /\p{L}/u.test(holder) && [...holder].length <= 100 ? undefined : texts.name
}

/** Nine digits whose weighted sum ends in nought. */
function routingMistake(routing: string): string | undefined {
  if (!/^\d{9}$/.test(routing)) return texts.routing
  const weights = [3, 7, 1]
  const sum = [...routing].reduce((all, digit, at) => all + Number(digit) * (weights[at % 3] ?? 0), 0)
  return sum === 0 || sum % 10 !== 0 ? texts.routingSum : undefined
}

/** ISO 7064: with its letters as numbers and its first four at the end, it leaves 1 when divided by 97. */
function ibanMistake(iban: string): string | undefined {
  if (!iban) return texts.iban
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return texts.ibanForm
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    Number.parseInt(letter, 36).toString(),
  )
  return BigInt(digits) % 97n === 1n ? undefined : texts.ibanSum
}
