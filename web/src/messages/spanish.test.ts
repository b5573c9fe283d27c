import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Files of the catalogue without texts for customers: staff's, the names of languages, and tests. */
const notTranslated = /^(admin.*|translated|.*\.test)\.ts$/

const english = import.meta.glob<Record<string, unknown>>(['./*.ts', '!./*.test.ts', '!./admin*.ts'], {
  eager: true,
})
const spanish = import.meta.glob<Record<string, unknown>>('./es/*.ts', { eager: true })

const names = readdirSync(new URL('.', import.meta.url)).filter(
  (name) => name.endsWith('.ts') && !notTranslated.test(name),
)

/** What both languages write alike: names, figures, marks, and cognates. */
const alike = [
  'common.common.error',
  'support.support.ticket',
  'gift-cards.giftCards.pin',
  'gift-cards.giftCards.fieldNames.pin',
  'buy.buy.rows.total',
  'calculator.calculator.currency',
  'orders.orders.total',
  'orders.orders.heading',
  'dashboard.dashboard.total',
  'payouts.payouts.iban',
  'payouts.payouts.to',
  'referral.testPage.no',
  'landing-more.landingMore.faq.2.claim',
  'landing-more.landingMore.faq.5.claim',
  'landing-more.landingMore.figures.tokens',
  'landing-more.landingMore.methods.1.title',
  'footer.footer.methods.0',
  'footer.footer.methods.1',
  'footer.footer.rights',
  'support.support.opening',
  'locale.languages',
  'common.assetNames',
  'common.methodLabels.ach',
  'common.methodLabels.chime',
  'common.methodLabels.paypal',
  'common.methodLabels.revolut',
  'common.methodLabels.zelle',
  'common.methodLabels.zelle_pay',
]

/**
 * The entry of the list that allows a path to be equal in both languages, however a function on it was
 * called.
 */
const entryOf = (path: string) => {
  const plain = path.replace(/\(\w+\)/g, '')
  return alike.find((known) => plain === known || plain.startsWith(`${known}.`))
}

/** Stands for an event, a claim or what else has keys: each holds its own name. */
const record: unknown = new Proxy(
  {},
  { get: (_, key) => (key === 'data' ? record : typeof key === 'string' ? `«${key}»` : () => '«record»') },
)

/** What each function is called with: texts, records, a count of one. A way that fits no function of it says nothing. */
const ways: Record<string, (at: number) => unknown> = {
  texts: (at) => `«${at}»`,
  records: () => record,
  one: () => 1,
}

function said(call: () => unknown): unknown {
  try {
    return call()
  } catch {
    return undefined
  }
}

/** Every text below a value, by its path. */
function texts(path: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') {
    const say = value as (...given: unknown[]) => unknown
    return Object.entries(ways).flatMap(([way, sample]) => {
      const given = Array.from({ length: say.length }, (_, at) => sample(at))
      return texts(
        `${path}(${way})`,
        said(() => say(...given)),
      )
    })
  }
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, part]) => texts(`${path}.${key}`, part))
}

function all(catalogue: typeof english, folder: string): Map<string, string> {
  return new Map(
    names.flatMap((name) => texts(name.replace(/\.ts$/, ''), catalogue[`./${folder}${name}`] ?? {})),
  )
}

test('each file of the catalogue has its translation, and no translation is of nothing', () => {
  expect(Object.keys(spanish).sort()).toEqual(names.map((name) => `./es/${name}`).sort())
})

test('a translation has the texts of its original: none missing, none more', () => {
  expect([...all(spanish, 'es/').keys()].sort()).toEqual([...all(english, '').keys()].sort())
})

test('nothing is left in English but what both languages write alike', () => {
  const translated = all(spanish, 'es/')
  const same = [...all(english, '')].filter(
    ([path, text]) => /\p{L}/u.test(text) && translated.get(path) === text,
  )
  expect(same.filter(([path]) => !entryOf(path)).map(([path, text]) => `${path}: ${text}`)).toEqual([])
  const used = new Set(same.map(([path]) => entryOf(path)))
  expect(alike.filter((known) => !used.has(known))).toEqual([])
})

test('what a text is given, it says', () => {
  const translated = all(spanish, 'es/')
  const dropped = [...all(english, '')].flatMap(([path, text]) => {
    const given = [...new Set(text.match(/«\w+»/g) ?? [])]
    return given.filter((part) => !translated.get(path)?.includes(part)).map((part) => `${path}: ${part}`)
  })
  expect(dropped).toEqual([])
})
