import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as TypeScript from 'typescript'
import { expect, test } from 'vitest'

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

/** Attributes whose value somebody reads or hears. */
const read = new Set([
  'aria-label',
  'aria-description',
  'placeholder',
  'title',
  'alt',
  'label',
  'hint',
  'lead',
])

/** Names, which are the same in every language. */
const names = new Set(['JSON'])

const root = new URL('..', import.meta.url).pathname

/** Screens of customers and the public; staff's are in English, and say so in files of their own. */
const screens = (readdirSync(root, { recursive: true }) as string[]).filter(
  (file) => file.endsWith('.tsx') && !/(^|\/)admin(\/|-|\.)/.test(file) && !/\.test\.tsx$/.test(file),
)

/** Words that stand in a screen instead of in the catalogue, with their line. */
function wordsOf(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(root + file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  )
  const found: string[] = []
  const note = (node: TypeScript.Node, text: string) => {
    const words = text.replace(/&\w+;/g, ' ').trim()
    if (!/\p{L}{2}/u.test(words) || names.has(words)) return
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    found.push(`${file}:${line + 1}: ${words}`)
  }
  const literals = (node: TypeScript.Node): void => {
    if (ts.isStringLiteralLike(node)) note(node, node.text)
    else if (ts.isTemplateExpression(node))
      for (const part of [node.head, ...node.templateSpans.map((span) => span.literal)]) note(part, part.text)
    else if (ts.isConditionalExpression(node)) {
      literals(node.whenTrue)
      literals(node.whenFalse)
    }
  }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isJsxText(node)) note(node, node.text)
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent))
      literals(node.expression)
    if (ts.isJsxAttribute(node) && read.has(node.name.getText(source)) && node.initializer) {
      const value = node.initializer
      literals(ts.isJsxExpression(value) ? (value.expression ?? value) : value)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test('every word a customer reads stands in the catalogue', () => {
  expect(screens.length).toBeGreaterThan(80)
  expect(screens.flatMap(wordsOf)).toEqual([])
})

/** Turns that read as translated; docs/glossary.md has the words to use. */
const turns =
  /\b(by itself|is mended|looks at it|lies apart|nobody's|under way|set aside|worth nothing|take[ns]? off|speaks against|write to (us|you)|second factor)\b/i

test.each([
  'balance',
  'common',
  'connection',
  'form',
  'gift-cards',
  'legal',
  'payouts',
  'support',
  'two-factor',
  'vouchers',
])('%s keeps to the glossary', (name) => {
  const lines = readFileSync(`src/messages/${name}.ts`, 'utf8').split('\n')
  expect(lines.filter((line) => !/^\s*(\/?\*|\/\/)/.test(line) && turns.test(line))).toEqual([])
})
