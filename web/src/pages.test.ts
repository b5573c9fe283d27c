// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { details } from '../scripts/pages.mjs'
import { pages, titleFor } from './pages'
import { createAppRouter, createQueryClient } from './router'

/** Every path the router knows, as the patterns of pages.ts. */
function routedPaths(): string[] {
  const { routesByPath } = createAppRouter(createQueryClient())
  return Object.keys(routesByPath).map((path) => path.replace(/(.)\/$/, '$1').replace(/\$(\w+)/g, '{$1}'))
}

test('the server is told of every route, and of none that does not exist', () => {
  const told = [...new Set(pages.map(([pattern]) => pattern))]
  expect(told.sort()).toEqual([...new Set(routedPaths())].sort())
})

test('each page has its build details', () => {
  expect(Object.keys(details).sort()).toEqual(pages.map(([pattern, access]) => `${access} ${pattern}`).sort())
})

test('titles', () => {
  expect(titleFor('/', 'Tradepost', false)).toBe('Buy Bitcoin and crypto to your own wallet · Tradepost')
  expect(titleFor('/', 'Tradepost', true)).toBe('Dashboard · Tradepost')
  expect(titleFor('/orders/abc', 'Tradepost', true)).toBe('Order · Tradepost')
  expect(titleFor('/nowhere', 'Tradepost', true)).toBe('404 Page Not Found · Tradepost')
})
