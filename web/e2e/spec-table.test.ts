import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { specTable } from './spec-table'

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

test.each(specTable.map((row) => [row.section, row.says, row.shownBy] as const))(
  '%s: %s',
  (_, __, [file, title]) => {
    expect(hasTest(file, title), `${file} has the test '${title}'`).toBe(true)
  },
)

test('a row without a test would be noticed', () => {
  expect(hasTest('e2e/flows/story.spec.ts', 'no test has this title')).toBe(false)
})
