import { expect, test } from 'vitest'
import { twinOf } from './unanswered'

const now = Date.parse('2030-01-01T12:00:00Z')
const wanted = { asset: 'ETH', amountAsset: '0.50', destAddress: '0xAb', paymentMethod: 'card' } as const
const made = {
  asset: 'ETH' as const,
  amountAsset: '0.5',
  destAddress: '0xaB',
  status: 'pending' as const,
  createdAt: '2030-01-01T09:00:00Z',
  paymentDueAt: '2030-01-01T13:00:00Z',
}

test.each([
  ['one that waits for its payment', {}, true],
  ['one that was paid just now', { status: 'sent', createdAt: '2030-01-01T11:45:00Z' }, true],
  ['one that was paid long ago', { status: 'sent' }, false],
  ['one whose time to pay is over', { paymentDueAt: '2030-01-01T11:00:00Z' }, false],
  ['one that failed', { status: 'failed', createdAt: '2030-01-01T11:59:00Z' }, false],
  ['one of another amount', { amountAsset: '0.51' }, false],
  ['one to another address', { destAddress: '0xcd' }, false],
] as const)('%s', (_, part, twin) => {
  expect(twinOf([{ ...made, ...part }], wanted, now) !== undefined).toBe(twin)
})
