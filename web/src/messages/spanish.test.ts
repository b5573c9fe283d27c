import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Files of the catalogue that are no texts of customers': staff's, what is told of languages, and tests. */
const notTranslated = /^(admin.*|translated|.*\.test)\.ts$/

const english = import.meta.glob<Record<string, unknown>>('./*.ts', { eager: true })
const spanish = import.meta.glob<Record<string, unknown>>('./es/*.ts', { eager: true })

const names = readdirSync(new URL('.', import.meta.url)).filter(
  (name) => name.endsWith('.ts') && !notTranslated.test(name),
)

/** What both languages write alike: names, figures, marks, and words that are the same. */
const alike = new Set(
  [
    ['common.common.error', 'common.common.estimate', 'support.support.ticket', 'gift-cards.giftCards.pin'],
    ['buy.buy.rows.total', 'orders.orders.total', 'dashboard.dashboard.total', 'payouts.payouts.iban'],
    ['support.inbox.stats.total', 'referral.testPage.no', 'vouchers.vouchers.codePlaceholder'],
    ['landing.landing.stats.1.label', 'layout.layout.methods.0', 'layout.layout.methods.1'],
    ['legal.legal.privacy.5.heading', 'landing.landing.methods.1.title', 'support.support.opening'],
    ['locale.languages', 'common.assetNames', 'layout.layout.badges', 'layout.layout.rights'],
    ['common.methodLabels.ach', 'common.methodLabels.chime', 'common.methodLabels.paypal'],
    ['common.methodLabels.revolut', 'common.methodLabels.zelle', 'common.methodLabels.zelle_pay'],
    ['situations.situations.place.toCard', 'landing.landing.faq.0.a', 'buy.buy.addressPlaceholder'],
  ].flat(),
)

const isAlike = (path: string) =>
  [...alike].some((known) => path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}(`))

/** Stands for any argument: a text of its own, with every key a customer's event or claim could have. */
function sample(name: string): unknown {
  return new Proxy(
    Object.assign(() => name, { toString: () => name, [Symbol.toPrimitive]: () => name }),
    {
      get: (target, key) =>
        key === 'data' || key in target
          ? key === 'data'
            ? sample(name)
            : Reflect.get(target, key)
          : typeof key === 'string'
            ? `${name}.${key}`
            : undefined,
    },
  )
}

/** Every text below a value, by its path; a function is told by what it says to samples, a count of one, and nothing. */
function texts(path: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') {
    const given = Array.from({ length: value.length }, (_, at) => sample(`«${at}»`))
    const say = value as (...given: unknown[]) => unknown
    return [...texts(`${path}(…)`, say(...given)), ...texts(`${path}(1)`, say(...given.map(() => 1)))]
  }
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, part]) => texts(`${path}.${key}`, part))
}

function all(catalogue: typeof english, folder: string): Map<string, string> {
  return new Map(
    names.flatMap((name) =>
      texts(name.replace(/\.ts$/, ''), catalogue[`./${folder}${name}`] ?? {}).map(
        ([path, text]) => [path.replace(/^([\w-]+)\.default\b/, '$1'), text] as const,
      ),
    ),
  )
}

test('each file of the catalogue has its translation, and no translation is of nothing', () => {
  expect(Object.keys(spanish).sort()).toEqual(names.map((name) => `./es/${name}`).sort())
})

test('a translation has the texts of its original: none missing, none more', () => {
  expect([...all(spanish, 'es/').keys()].sort()).toEqual([...all(english, '').keys()].sort())
})

test('nothing is left in English', () => {
  const translated = all(spanish, 'es/')
  const left = [...all(english, '')].filter(
    ([path, text]) => /\p{L}/u.test(text) && translated.get(path) === text && !isAlike(path),
  )
  expect(left.map(([path, text]) => `${path}: ${text}`)).toEqual([])
})

test('nothing is allowed to be alike that is not', () => {
  const paths = [...all(english, '').keys()]
  const unused = [...alike].filter(
    (known) =>
      !paths.some((path) => path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}(`)),
  )
  expect(unused).toEqual([])
})

test('what a text is given, it says', () => {
  const translated = all(spanish, 'es/')
  const dropped = [...all(english, '')].flatMap(([path, text]) => {
    const given = [...new Set(text.match(/«\d»(\.\w+)?/g) ?? [])]
    return given.filter((part) => !translated.get(path)?.includes(part)).map((part) => `${path}: ${part}`)
  })
  expect(dropped).toEqual([])
})
