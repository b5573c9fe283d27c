import ts from 'typescript'
import { expect, test } from 'vitest'

/** Every module that may hold a component; tests have no readers. */
const modules = import.meta.glob<string>(['/src/**/*.tsx', '!/src/**/*.test.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

const everything = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/jsx/**', '!/src/**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** What a component may return: elements, and nothing. Text alone would lie beside the component's siblings. */
function isOwned(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isOwned(node.expression)
  if (ts.isConditionalExpression(node)) return isOwned(node.whenTrue) && isOwned(node.whenFalse)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
    return isOwned(node.right)
  return (
    ts.isJsxElement(node) ||
    ts.isJsxFragment(node) ||
    ts.isJsxSelfClosingElement(node) ||
    node.kind === ts.SyntaxKind.NullKeyword ||
    node.getText() === 'undefined'
  )
}

function returned(body: ts.Node): ts.Expression[] {
  const found: ts.Expression[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression)
    ts.forEachChild(node, walk)
  }
  if (ts.isBlock(body)) ts.forEachChild(body, walk)
  else found.push(body as ts.Expression)
  return found
}

/** The component that this node declares, if any. */
function component(node: ts.Node): { name: string; body: ts.Node } | undefined {
  const named = (name: string | undefined, body: ts.Node | undefined) =>
    name && body && /^[A-Z]\w*[a-z]/.test(name) ? { name, body } : undefined
  if (ts.isFunctionDeclaration(node)) return named(node.name?.text, node.body)
  if (!ts.isVariableDeclaration(node) || !node.initializer || !ts.isIdentifier(node.name)) return undefined
  const { initializer } = node
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)
    ? named(node.name.text, initializer.body)
    : undefined
}

/** What the components of a module return that is not surely an element: "Name: expression". */
function bare(text: string): string[] {
  const found: string[] = []
  const walk = (node: ts.Node): void => {
    const declared = component(node)
    for (const value of declared ? returned(declared.body) : [])
      if (!isOwned(value)) found.push(`${declared?.name}: ${value.getText()}`)
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile('x.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX))
  return found
}

test.each([
  ['function Left() { return texts.left + "s" }', 1],
  ['const Left = () => texts.left(3)', 1],
  ['function Left({ children }) { return children }', 1],
  ['function Left() { return late ? <b>late</b> : left }', 1],
  ['function Left() { if (late) return null; return late ? <b>late</b> : <>{left}</> }', 0],
  ['function left() { return "3 s" }', 0],
])('what a component returns: %s', (text, count) => expect(bare(text)).toHaveLength(count))

test('no component returns bare text: it would lie beside the siblings of the component', () => {
  expect(Object.keys(modules).length).toBeGreaterThan(200)
  const found = Object.entries(modules).flatMap(([path, text]) => bare(text).map((each) => `${path} ${each}`))
  expect(found).toEqual([])
})

test('no element is made but by JSX, which gives every text its own', () => {
  const made =
    /\b(?:createElement|cloneElement|Children)\b(?!\('(?:a|canvas|script|span)'\))|from 'react\/jsx/
  expect(Object.keys(everything).filter((path) => made.test(everything[path] ?? ''))).toEqual([])
})
