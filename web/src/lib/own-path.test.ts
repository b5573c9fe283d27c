import { expect, test } from 'vitest'
import { ownPath } from './own-path'

test('a link opens paths of this site', () => {
  for (const to of ['/', '/orders/1', '/admin/orders?q=1', '/settings/privacy#confirm=abc', '/a//b'])
    expect(ownPath(to)).toBe(to)
})

test('a link leads to no other site, and makes no call', () => {
  for (const to of [
    undefined,
    1,
    '',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '/\n/evil.example',
    '/\t/evil.example',
    '/a\\..\\evil',
    '/api',
    '/api/logout',
    '/a/../api/logout',
    '/%61pi/logout',
    '/a/%2e%2e/api/logout',
    '/%zz',
  ])
    expect(ownPath(to), String(to)).toBeUndefined()
})
