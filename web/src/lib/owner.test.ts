import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onAnswering } from './connection'
import { confirmOwner, setOwner } from './owner'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a check of the person that got no answer is asked for again once the server answers', async () => {
  vi.stubGlobal('fetch', (url: string) =>
    url === '/api/config'
      ? Promise.resolve(Response.json({}))
      : Promise.reject(new TypeError('Failed to fetch')),
  )
  setOwner({ id: 'a', onOther: () => undefined })
  const again = vi.fn()
  onAnswering(again)
  await expect(confirmOwner()).rejects.toThrow('Failed to fetch')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(again).toHaveBeenCalledTimes(1)
})
