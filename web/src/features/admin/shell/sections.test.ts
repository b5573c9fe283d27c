import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sectionOf, sectionsFor } from './sections'

/** Who holds which permission, as the server's own policy says. */
const policy = readFileSync(new URL('../../../../../api/policy/policy.csv', import.meta.url), 'utf8')

function pathsOf(role: string): string[] {
  const held = [...policy.matchAll(/^p, (\w+), (\w+)$/gm)]
    .filter(([, holder]) => holder === role)
    .map(([, , permission]) => permission ?? '')
  return sectionsFor(held).flatMap(({ sections }) => sections.map(({ to }) => to))
}

describe('the sections', () => {
  it.each([
    [
      'support',
      [
        '/admin/security',
        '/admin/money',
        '/admin/closed-credits',
        '/admin/treasury',
        '/admin/ledger',
        '/admin/reconciliation',
        '/admin/audit',
        '/admin/team',
      ],
    ],
    [
      'compliance',
      [
        '/admin/security',
        '/admin/money',
        '/admin/closed-credits',
        '/admin/treasury',
        '/admin/ledger',
        '/admin/reconciliation',
        '/admin/team',
      ],
    ],
    ['finance', ['/admin/security', '/admin/audit', '/admin/team']],
    ['admin', []],
  ])('%s is not led to %j', (role, hidden) => {
    const all = pathsOf('admin')
    expect(all).toHaveLength(23)
    expect(pathsOf(role)).toEqual(all.filter((path) => !hidden.includes(path)))
  })

  it('leaves out a group with nothing in it', () => {
    expect(sectionsFor([])).toEqual([])
    expect(sectionsFor(['read_ledger'])).toHaveLength(1)
  })

  it('knows which one a path is in', () => {
    expect(sectionOf('/admin/orders/1')?.to).toBe('/admin/orders')
    expect(sectionOf('/admin/ordersx')?.to).toBe('/admin')
    expect(sectionOf('/admin')?.to).toBe('/admin')
  })
})
