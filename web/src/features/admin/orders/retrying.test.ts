import { expect, it } from 'vitest'
import type { AdminOrder } from '@/api/types.gen'
import { shortTime } from '@/lib/format'
import { isRetrying, retryingText } from './attempt'

const order = (status: AdminOrder['status'], updatedAt: string, lastErrorAt: string | null) =>
  ({ status, updatedAt, metadata: { lastErrorAt } }) as AdminOrder

it('marks an order whose last event is a failed attempt, and no order that moved since', () => {
  expect(isRetrying(order('fulfilling', '2026-11-29T14:31:00.5Z', '2026-11-29T14:31:00Z'))).toBe(true)
  expect(isRetrying(order('filled', '2026-11-29T14:33:00Z', '2026-11-29T14:31:00Z'))).toBe(false)
  expect(isRetrying(order('failed', '2026-11-29T14:31:00Z', '2026-11-29T14:31:00Z'))).toBe(false)
  expect(isRetrying(order('fulfilling', '2026-11-29T14:31:00Z', null))).toBe(false)
})

it('says when the next attempt is, and when the last one was where no next one is known', () => {
  const failing = order('fulfilling', '2026-11-29T14:31:00Z', '2026-11-29T14:31:00Z')
  expect(retryingText(failing)).toBe(`Retrying, last tried ${shortTime('2026-11-29T14:31:00Z')}`)
  const next = '2026-11-29T14:32:00Z'
  const metadata = { ...failing.metadata, nextAttemptAt: next }
  expect(retryingText({ ...failing, metadata })).toBe(`Retrying, next at ${shortTime(next)}`)
  expect(retryingText({ ...failing, metadata, status: 'failed' })).toBeNull()
})
