import { expect, test } from 'vitest'

const texts = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test.{ts,tsx}', '!./**/*.gen.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

type Graph = Map<string, Set<string>>

/** The module that an import of a module names, by its path under src. */
function named(from: string, name: string): string | undefined {
  const path = name.startsWith('@/') ? name.slice(2) : new URL(name, `https://src/${from}`).pathname.slice(1)
  return ['', '.ts', '.tsx', '/index.ts', '/index.tsx']
    .map((end) => path + end)
    .find((p) => `./${p}` in texts)
}

function importsOf(module: string, text: string): Set<string> {
  const names = text.matchAll(/(?:from |import\(|^import )['"]((?:\.|@\/)[^'"]+)['"]/gm)
  return new Set([...names].flatMap(([, name]) => named(module, name ?? '') ?? []))
}

const modules: Graph = new Map(
  Object.entries(texts).map(([path, text]) => [path.slice(2), importsOf(path.slice(2), text)]),
)

/** The first way from a node back to itself. */
function circle(graph: Graph): string[] | undefined {
  const done = new Set<string>()
  const walk = (node: string, way: string[]): string[] | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const found = walk(next, [...way, node])
      if (found) return found
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const found = walk(node, [])
    if (found) return found
  }
  return undefined
}

/** Which part of the back office a module belongs to. */
const partOf = (module: string) => /^features\/admin\/([^/]+)\//.exec(module)?.[1]

test('a circle is found', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['b'])],
  ])
  expect(circle(graph)).toEqual(['b', 'c', 'b'])
  expect(modules.get('features/admin/orders/orders-screen.tsx')).toContain('features/admin/shared/chips.tsx')
})

test('no module imports itself through others', () => {
  expect(circle(modules)).toBeUndefined()
})

test('the parts of the back office import each other in one direction', () => {
  const parts: Graph = new Map()
  for (const [module, imports] of modules) {
    const part = partOf(module)
    if (!part) continue
    const others = [...imports].flatMap((other) => partOf(other) ?? []).filter((other) => other !== part)
    parts.set(part, new Set([...(parts.get(part) ?? []), ...others]))
  }
  expect(parts.size).toBeGreaterThan(20)
  expect(parts.get('shared')?.size).toBe(0)
  expect(circle(parts)).toBeUndefined()
})
