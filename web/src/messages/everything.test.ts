import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as TypeScript from 'typescript'
import { expect, test, vi } from 'vitest'

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

vi.setConfig({ testTimeout: 60_000 })

/** Attributes whose value is shown or announced. */
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

/** Texts in a screen instead of in the catalogue, with their line. */
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

/** Phrases that read as translated, and terms for which docs/glossary.md has another. */
const turns = new RegExp(
  `\\b(${[
    'anew',
    '(by|of) (itself|themselves)',
    'destroy(s|ed)?',
    'everybody',
    'g(ive|ives|ave|iven) back',
    'go(es)? on',
    '(does|do) not get on',
    'is mended',
    'kept apart',
    'lapse[sd]?',
    'lies apart',
    'looks? at it',
    'lost factors?',
    "nobody[’']s",
    'of ours',
    'r[au]ns? out',
    'refuse[sd]?',
    'second factors?',
    'sets? aside',
    'somebody',
    'speaks? against',
    'take[ns]? (back|off)',
    'the whole (id|of it)',
    'under way',
    'waits? for (a|us)',
    'what (became|they come to)',
    'whoever',
    'worth nothing',
    'write to (us|you)',
    '(?<!USD )coins?',
  ].join('|')})\\b`,
  'i',
)

interface Found {
  /** Its file and its line. */
  place: string
  text: string
}

/** The texts of a message file with their lines, without their keys; a hole marks a value. */
function textsOf(file: string): Found[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(`${root}messages/${file}`, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const found: Found[] = []
  const note = (node: TypeScript.Node, text: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    found.push({ place: `${file}:${line + 1}`, text })
  }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
    const key = ts.isPropertyAssignment(node.parent) && node.parent.name === node
    if (ts.isStringLiteralLike(node) && !key) note(node, node.text)
    if (ts.isTemplateExpression(node))
      note(
        node,
        [node.head, ...node.templateSpans.map((span) => span.literal)].map(({ text }) => text).join('…'),
      )
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  return found
}

const catalogue = readdirSync(`${root}messages`).filter((file) => /(?<!\.test)\.ts$/.test(file))

test('the whole catalogue is looked through', () => {
  expect(catalogue.length).toBeGreaterThan(50)
  expect(catalogue.flatMap(textsOf).length).toBeGreaterThan(3000)
})

test.each(catalogue)('%s keeps to the glossary', (file) => {
  expect(textsOf(file).filter(({ text }) => turns.test(text))).toEqual([])
})
