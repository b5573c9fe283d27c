import { describe, expect, it } from 'vitest'
import type { SearchHit } from '@/api/types.gen'
import { lookOf, pageOf } from './palette-hits'
import { choicesFor } from './palette-list'

const hit: SearchHit = {
  kind: 'order',
  id: '0199a000-0000-7000-8000-000000000001',
  title: 'TP-7K3M-9QWX',
  detail: '0.01 BTC · Ada',
  status: 'sent',
  at: '2026-01-31T12:00:00Z',
}

const keysOf = (typed: string, permissions: string[], hits: SearchHit[] = []) =>
  choicesFor(typed, permissions, hits).map(({ key }) => key)

describe('what can be chosen', () => {
  it('is every page one may go to while nothing is typed', () => {
    expect(keysOf('', ['read_customers'])).toHaveLength(15)
    expect(keysOf('', [])).toEqual([])
  })

  it('is the pages by name, then what was found', () => {
    expect(keysOf('AUD', ['read_customers', 'read_audit'], [hit])).toEqual([
      'page--admin-audit',
      `order-${hit.id}`,
    ])
    expect(keysOf('AUD', ['read_customers'])).toEqual([])
  })
})

describe('a hit', () => {
  it('leads to its page; a voucher to its line of the list', () => {
    expect(pageOf(hit)).toEqual({ to: '/admin/orders/$id', params: { id: hit.id } })
    expect(pageOf({ ...hit, kind: 'voucher', title: 'VC-1' })).toEqual({
      to: '/admin/vouchers',
      search: { q: 'VC-1' },
    })
    expect(pageOf({ ...hit, kind: 'treasury_move' }).to).toBe('/admin/treasury/$id')
    expect(pageOf({ ...hit, kind: 'break' }).to).toBe('/admin/reconciliation/$id')
  })

  it('says where it stands, also in a word nobody knows here', () => {
    expect(lookOf(hit)).toEqual({ label: 'Sent', tone: 'success' })
    expect(lookOf({ ...hit, kind: 'payout', status: 'in_review' }).label).toBe('In review')
    expect(lookOf({ ...hit, status: 'refunded' })).toEqual({
      label: 'Refunded',
      tone: 'neutral',
      ended: true,
    })
    expect(lookOf({ ...hit, kind: 'customer', status: 'verified' }).tone).toBe('success')
    expect(lookOf({ ...hit, kind: 'treasury_move', status: 'sent' }).tone).toBe('progress')
    expect(lookOf({ ...hit, kind: 'break', status: 'open' }).tone).toBe('danger')
    expect(lookOf({ ...hit, kind: 'ticket', status: 'open' }).tone).toBe('pending')
    expect(lookOf({ ...hit, kind: 'ticket', status: 'brand_new' })).toEqual({
      label: 'Brand new',
      tone: 'neutral',
    })
  })
})
