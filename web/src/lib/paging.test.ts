import { expect, test } from 'vitest'
import { nextCursor, pageOf, rowsOf } from './paging'
import { parseSearch, stringifySearch } from './search'

test('the next cursor comes from Link', () => {
  expect(nextCursor('</api/orders?status=all&cursor=abc%3D>; rel="next"')).toBe('abc=')
  expect(nextCursor('</api/orders?cursor=abc>; rel="prev"')).toBeUndefined()
  expect(nextCursor(null)).toBeUndefined()
})

test('the total is the whole filtered set, not the rows that were loaded', () => {
  const response = new Response('[]', {
    headers: { 'x-total-count': '137', link: '</x?cursor=2>; rel="next"' },
  })
  expect(pageOf([{ id: 'a' }], response)).toEqual({ items: [{ id: 'a' }], total: 137, next: '2' })
})

test('a row that moved between two pages is shown once', () => {
  const page = (...ids: string[]) => ({ items: ids.map((id) => ({ id })), total: 3, next: undefined })
  expect(rowsOf([page('a', 'b'), page('b', 'c')]).map((row) => row.id)).toEqual(['a', 'b', 'c'])
})

test('an order id that looks like a number survives the address bar', () => {
  expect(parseSearch('?q=662E41&status=sent')).toEqual({ q: '662E41', status: 'sent' })
  expect(stringifySearch({ q: '662E41', status: undefined })).toBe('?q=662E41')
  expect(stringifySearch({})).toBe('')
})
