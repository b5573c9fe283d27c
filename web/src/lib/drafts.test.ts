import { beforeEach, expect, test, vi } from 'vitest'
import { asvs } from './asvs.fixture'
import { dropAllDrafts, dropDraftsOfOthers, keepDraft, readDraft } from './drafts'

const empty = { amount: '', iban: '' }
const stored = new Map<string, string>()

/** A tab's storage: its keys are its own properties, as a browser's are. */
function storage(): Storage {
  return new Proxy({} as Storage, {
    get: (_, name) =>
      ({
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => stored.set(key, value),
        removeItem: (key: string) => stored.delete(key),
      })[name as 'getItem'],
    ownKeys: () => [...stored.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
}

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('sessionStorage', storage())
})

test('what is withheld is not written down, only that it was there', () => {
  keepDraft(
    'casey',
    'payout',
    { amount: '25', iban: 'DE89370400440532013000' },
    { empty, withheld: ['iban'] },
  )
  expect(readDraft('casey', 'payout')).toEqual({ values: { amount: '25' }, partly: true })
  expect([...stored.values()].join()).not.toContain('DE89')
})

test('an untouched form leaves no draft, and one that is emptied takes it away', () => {
  keepDraft('casey', 'payout', { amount: '25', iban: '' }, { empty })
  expect(readDraft('casey', 'payout')).toEqual({ values: { amount: '25' }, partly: false })
  keepDraft('casey', 'payout', empty, { empty })
  expect(stored.size).toBe(0)
})

test('a draft is for who typed it: the next person in the tab finds nothing, and signing out leaves nothing', () => {
  stored.set('theme', 'dark')
  for (const who of ['casey', 'robin']) keepDraft(who, 'payout', { amount: '25', iban: '' }, { empty })
  expect(readDraft('robin', 'ticket')).toBeUndefined()
  dropDraftsOfOthers('robin')
  expect(readDraft('casey', 'payout')).toBeUndefined()
  expect(readDraft('robin', 'payout')).toBeDefined()
  dropAllDrafts()
  expect([...stored.keys()], asvs('14.3.1')).toEqual(['theme'])
})

test('a storage that is refused or holds nonsense is as good as an empty one', () => {
  stored.set('draft:casey:payout', '{"values":')
  expect(readDraft('casey', 'payout')).toBeUndefined()
  stored.set('draft:casey:payout', '7')
  expect(readDraft('casey', 'payout')).toBeUndefined()
  vi.stubGlobal('sessionStorage', undefined)
  expect(() => keepDraft('casey', 'payout', { amount: '1', iban: '' }, { empty })).not.toThrow()
})
