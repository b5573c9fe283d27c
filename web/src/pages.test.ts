// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { details } from '../scripts/pages.mjs'
import { pages, titleFor } from './pages'
import { createAppRouter, createQueryClient, type RouteTree } from './router'
import { routeTree } from './routeTree.gen'
import { visitorRoutes } from './visitor-routes'

/** Every path of a router, as the patterns of pages.ts. */
function routedPaths(routes: RouteTree): string[] {
  const { routesByPath } = createAppRouter(routes, createQueryClient())
  return Object.keys(routesByPath).map((path) => path.replace(/(.)\/$/, '$1').replace(/\$(\w+)/g, '{$1}'))
}

test('the server is told of every route, and of none that does not exist', () => {
  const told = [...new Set(pages.map(([pattern]) => pattern))]
  expect(told.sort()).toEqual([...new Set(routedPaths(routeTree))].sort())
})

test('visitors have the routes of the public pages, and no other', () => {
  const told = pages.filter(([, access]) => access === 'public').map(([pattern]) => pattern)
  expect(routedPaths(visitorRoutes()).sort()).toEqual(told.sort())
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
