import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { alsoShown } from './spec-also'
import { specTable } from './spec-table'
import { specTexts } from './spec-texts'

const sources = new Map<string, string>()

function sourceOf(file: string): string {
  const known = sources.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  sources.set(file, known)
  return known
}

/** Is there a test whose title is written so? Titles with parameters are compared as they stand in the source. */
function hasTest(file: string, title: string): boolean {
  const quoted = [`'${title}`, `"${title}`, `\`${title}`]
  return sourceOf(file)
    .split('\n')
    .some((line) => quoted.some((start) => line.includes(start)))
}

/** Does a file expect this text: in quotes, or in a pattern? */
function expects(file: string, text: string): boolean {
  const source = sourceOf(file).replaceAll(/\\(.)/g, '$1')
  return ["'", '"', '`', '/', '/^', ' / '].some((start) => source.includes(start + text))
}

const rows = [...specTable, ...alsoShown]

test.each(rows.map((row) => [row.section, row.says, row.shownBy] as const))(
  '%s: %s',
  (_, __, [file, title]) => {
    expect(hasTest(file, title), `${file} has the test '${title}'`).toBe(true)
  },
)

test.each(Object.entries(specTexts))('%s expects its texts of SPEC', (file, texts) => {
  expect(texts.filter((text) => !expects(file, text))).toEqual([])
})

test('nothing is said twice', () => {
  const said = rows.map((row) => `${row.section} ${row.says}`)
  expect(said.filter((row, at) => said.indexOf(row) !== at)).toEqual([])
  const texts = Object.values(specTexts).flat()
  expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
})

test('a row without a test would be noticed, and so would a text that nobody expects', () => {
  expect(hasTest('e2e/flows/story.spec.ts', 'no test has this title')).toBe(false)
  expect(expects('e2e/flows/story.spec.ts', 'Payment Processed')).toBe(true)
  expect(expects('e2e/flows/story.spec.ts', 'Payment Mislaid')).toBe(false)
})
