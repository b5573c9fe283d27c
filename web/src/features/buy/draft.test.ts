// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest'
import { readDraft } from '@/lib/drafts'
import { asBuyDraft, BUY, emptyDraft, endDraft, handOver } from './draft'

beforeEach(() => sessionStorage.clear())

const next = () => asBuyDraft(readDraft('ann', BUY)?.values ?? {})

test('who types dollars is asked for dollars the next time, with nothing else left', () => {
  handOver('ann', { ...emptyDraft, asset: 'ETH', amount: '0.1', fiat: '300', address: '0xabc' })
  endDraft('ann')
  expect(next()).toEqual({ ...emptyDraft, fiat: '' })
})

test('who types coin is asked for coin', () => {
  handOver('ann', { ...emptyDraft, asset: 'ETH', amount: '0.1' })
  endDraft('ann')
  expect(readDraft('ann', BUY)).toBeUndefined()
})
