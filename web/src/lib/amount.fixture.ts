/** Readings that differ from the one of a dollar field on a page in English: on a page in Spanish, or in a unit. */
type Otherwise = Readonly<Record<string, string>>

type Hostile = readonly [text: string, reading: string, otherwise?: Otherwise]

/** A dollar sign says nothing where the field is in something else. */
const inDollarsOnly: Otherwise = Object.fromEntries(
  ['BTC', 'ETH', 'USDT', 'USDC', '%'].map((unit) => [unit, 'shape']),
)

/** What is thrown at every amount field, with how a dollar field of a page in English reads it: for tests only. */
export const hostile: readonly Hostile[] = [
  ['60,50', '60.50'],
  ['0,003', '0.003'],
  ['1,234', 'ambiguous'],
  ['12,345', 'ambiguous'],
  ['999,999', 'ambiguous'],
  ['1.234', '1.234', { es: 'ambiguous' }],
  ['1,234.5', '1234.5'],
  ['1.234,5', '1234.5'],
  ['1,2,3', 'shape'],
  ['1..2', 'shape'],
  ['1,,2', 'shape'],
  ['1.,2', 'shape'],
  ['1,23,45', 'shape'],
  ['1234,567.8', 'shape'],
  ['1,234,56', 'shape'],
  ['1 23', 'shape'],
  ['12 34', 'shape'],
  ['1 234', '1234'],
  ['1\u00a0234,5', '1234.5'],
  ["1'23", 'shape'],
  ["1'234", '1234'],
  ["5'", 'shape'],
  ['.', 'unfinished'],
  [',', 'unfinished'],
  ['$', 'unfinished', inDollarsOnly],
  ['-1', 'sign'],
  ['+1', 'sign'],
  ['−1', 'sign'],
  ['$-1', 'sign', inDollarsOnly],
  ['(1)', 'sign'],
  ['1-', 'shape'],
  ['1e3', 'exponent'],
  ['1E-3', 'exponent'],
  ['1e', 'exponent'],
  ['0x1F', 'shape'],
  ['0b11', 'shape'],
  ['1_000', 'shape'],
  ['1/2', 'shape'],
  ['1*2', 'shape'],
  ['=1+1', 'shape'],
  ['10%', 'unit', { '%': '10' }],
  ['5k', 'unit'],
  ['1M', 'unit'],
  ['60 €', 'unit'],
  ['60 BTC', 'unit', { BTC: '60' }],
  ['NaN', 'shape'],
  ['Infinity', 'shape'],
  ['null', 'shape'],
  ['１２３', 'digits'],
  ['٣٫٥', 'digits'],
  ['१२', 'digits'],
  ['½', 'digits'],
  ['²', 'digits'],
  ['1\u200b0', 'hidden'],
  ['1\u202e05', 'hidden'],
  ['\u200f10', 'hidden'],
  ['1\u00ad0', 'hidden'],
  ['1\u00002', 'hidden'],
  ['1\t2', 'hidden'],
  ['<b>1</b>', 'shape'],
  ["1'; DROP TABLE orders;--", 'shape'],
  ['9'.repeat(31), 'long'],
  ['9'.repeat(400), 'long'],
  [`0.${'1'.repeat(19)}`, 'long'],
  ['💰5', 'shape'],
  ['5\u0301', 'shape'],
]

/** How a field in `unit` reads one of them, on a page in English or in Spanish. */
export function readingOf(
  [text, reading, otherwise]: Hostile,
  { unit, decimals, site }: { unit: string; decimals: number; site: 'en' | 'es' },
): string {
  const found = otherwise?.[unit] ?? otherwise?.[site] ?? reading
  return found === 'ambiguous' && decimals < 3 ? text.replace(/[.,]/, '') : found
}

/** The same numbers on every run. */
export function* numbers(count: number): Generator<string> {
  let seed = 20_261_124
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  for (let made = 0; made < count; made++) {
    const whole = Math.floor(10 ** (next() * 9))
    const places = Math.floor(next() * 9)
    const fraction = Array.from({ length: places }, () => Math.floor(next() * 10)).join('')
    yield fraction ? `${next() < 0.3 ? 0 : whole}.${fraction}` : `${whole}`
  }
}

/** Who types amounts. */
export const locales = [
  'en-US',
  'en-GB',
  'en-IN',
  'es-ES',
  'es-US',
  'es-MX',
  'es-AR',
  'de-DE',
  'de-CH',
  'fr-FR',
]
  .concat(['fr-CH', 'pt-BR', 'pt-PT', 'it-IT', 'nl-NL', 'pl-PL', 'cs-CZ', 'sv-SE', 'ru-RU', 'uk-UA', 'tr-TR'])
  .concat(['da-DK', 'nb-NO', 'fi-FI', 'el-GR', 'ja-JP', 'zh-CN', 'ko-KR', 'vi-VN', 'id-ID'])
