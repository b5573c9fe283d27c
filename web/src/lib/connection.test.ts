import { afterEach, beforeEach, expect, test, vi } from 'vitest'

async function load() {
  vi.resetModules()
  return import('./connection')
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a lost server is asked ever more rarely, at moments of chance, and heard once it answers', async () => {
  const { connection, onConnection, unheard } = await load()
  let asked = 0
  let there = false
  vi.stubGlobal('fetch', () => {
    asked += 1
    return there ? Promise.resolve(Response.json({})) : Promise.reject(new TypeError('Failed to fetch'))
  })
  const told: boolean[] = []
  onConnection(() => told.push(connection().lost))
  unheard()
  unheard()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(asked).toBeGreaterThan(4)
  expect(asked).toBeLessThan(14)
  there = true
  await vi.advanceTimersByTimeAsync(30_000)
  expect(told).toEqual([true, false])
  const then = asked
  await vi.advanceTimersByTimeAsync(120_000)
  expect(asked).toBe(then)
})

test('the waits grow to half a minute, never all alike', async () => {
  const { waitBefore } = await load()
  expect([0, 1, 2, 20].map((attempt) => waitBefore(attempt, 1))).toEqual([1_000, 2_000, 4_000, 30_000])
  expect(waitBefore(20, 0)).toBe(15_000)
})

test('a proxy without a server is silence; our own refusal is an answer, and keeps what it says', async () => {
  const { connection, heard } = await load()
  heard(Response.json({ message: 'Please try again.' }, { status: 503 }))
  expect(connection().lost).toBe(false)
  heard(new Response('<html>Bad Gateway</html>', { status: 502, headers: { 'content-type': 'text/html' } }))
  expect(connection().lost).toBe(true)
})
