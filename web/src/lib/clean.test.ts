import { describe, expect, test } from 'vitest'
import { randomOf } from '@/answers.fixture'
import { searchedOf } from '@/features/admin/shell/palette-hits'
import { addressOf, digitsOf, hasInvisible, linesOf, plain, sizeOf, squeezed } from './clean'

/** What clipboards put between and around characters. */
const unseen = [
  '\u200b',
  '\u00ad',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
  '\ufeff',
  '\u2060',
  '\u180e',
  '\ufe0f',
  '\u0000',
  '\u061c',
  '\u3164',
  '\u{e0001}',
  '\u{e0100}',
]
const blanks = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u00a0',
  '\u2007',
  '\u2009',
  '\u202f',
  '\u3000',
  '\u2028',
  '\u0085',
  '\u1680',
]
const dashes = [
  '-',
  '\u2010',
  '\u2011',
  '\u2012',
  '\u2013',
  '\u2014',
  '\u2015',
  '\u2212',
  '\ufe58',
  '\ufe63',
  '\uff0d',
  '\u30a0',
]
/** Where rows of ten digits begin. */
const zeros = [0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x1d7ce, 0x1d7d8, 0x1d7f6]

function strewn(text: string, between: readonly string[], random: () => number): string {
  const one = () => (random() < 0.5 ? (between[Math.floor(random() * between.length)] ?? '') : '')
  return [...text].reduce((made, char) => made + char + one() + one(), one())
}

const seeds = Array.from({ length: 200 }, (_, at) => at)

describe.each(seeds)('hostile text %i', (seed) => {
  const random = randomOf(`clean ${seed}`)
  const digits = Array.from({ length: 1 + Math.floor(random() * 24) }, () => Math.floor(random() * 10)).join(
    '',
  )
  const foreign = [...digits]
    .map((char) => String.fromCodePoint((zeros[Math.floor(random() * zeros.length)] ?? 0x30) + Number(char)))
    .join('')

  test('digits are the digits, none lost and none added', () => {
    const text = strewn(foreign, [...unseen, ...blanks, ...dashes], random)
    expect(digitsOf(text)).toBe(digits)
    expect(squeezed(text)).toBe(digits)
  })

  test('cleaning twice changes nothing more', () => {
    const text = strewn(`Aé${foreign}ñ한`, [...unseen, ...blanks, ...dashes, '\u0303', 'ﬀ', '①'], random)
    for (const clean of [plain, digitsOf, squeezed, addressOf, searchedOf, linesOf])
      expect(clean(clean(text))).toBe(clean(text))
  })

  test('an address keeps each character that can be seen', () => {
    const address = `bc1q${digits}xY`
    const text = strewn(address, unseen, random)
    expect(addressOf(` ${text}\u00a0`)).toBe(address)
    expect(hasInvisible(text)).toBe(text !== address)
    expect(addressOf(strewn(address, [...unseen, ...blanks], random))).toBe(address)
  })

  test('a reference is searched for as it is stored', () => {
    const text = `TP${dashes[seed % dashes.length]}${foreign}`
    expect(searchedOf(` ${strewn(text, unseen, random)} `)).toBe(`TP-${digits}`)
  })

  test('lines keep what was written, and only that counts', () => {
    const written = `Línea ${digits}\n👩‍💻 می‌خواهم`
    expect(linesOf(strewn(written, ['\u200b', '\u00ad', '\u202e', '\ufeff', '\u0007'], random))).toBe(written)
    expect(sizeOf(`${written}\u200b `)).toBe([...written].length)
  })
})

test('every blank, dash and mark is known', () => {
  for (const blank of blanks) expect(plain(`1${blank}2`).replace(/ +/, ' '), blank).toBe('1 2')
  for (const dash of dashes) expect(plain(`1${dash}2`), dash).toBe('1-2')
  for (const mark of unseen) expect(plain(`1${mark}2`), mark).toBe('12')
})

test('an address has no blanks, and full-width characters are those of a keyboard', () => {
  expect(addressOf('bc1q w508\u00a0d6qe\njxtd')).toBe('bc1qw508d6qejxtd')
  expect(addressOf('０ｘ５ａＡ')).toBe('0x5aA')
  expect(addressOf('bc1qé'), 'what no address has stays, and is refused').toBe('bc1qé')
})

test('what is searched for: ASCII characters where that is all it has, else the text as it is written', () => {
  expect(searchedOf('ＴＰ－１２３４')).toBe('TP-1234')
  expect(searchedOf(' ana\u200b@example.com\u202c')).toBe('ana@example.com')
  expect(searchedOf('Jean\u2011Luc')).toBe('Jean-Luc')
  expect(searchedOf(' Nun\u0303ez\u00a0Gil ')).toBe('Nuñez Gil')
  expect(searchedOf('می\u200cخواهم')).toBe('می\u200cخواهم')
})

test('a text counts the same however its accents were copied', () => {
  expect(sizeOf('man\u0303ana')).toBe(6)
  expect(sizeOf('한국'.normalize('NFD'))).toBe(2)
  expect(linesOf('man\u0303ana')).toBe('ma\u00f1ana')
})
