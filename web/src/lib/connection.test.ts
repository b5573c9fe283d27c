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
  const gone = new Response('<html>Bad Gateway</html>', {
    status: 502,
    headers: { 'content-type': 'text/html' },
  })
  vi.stubGlobal('fetch', () => Promise.resolve(gone))
  heard(Response.json({ message: 'Please try again.' }, { status: 503 }))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(connection().lost).toBe(false)
  heard(gone)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(connection().lost).toBe(true)
})

test('one address that never answers is no lost server: it is asked again, ever more rarely', async () => {
  const { connection, onAnswering, onConnection, unheard } = await load()
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})))
  const changes = vi.fn()
  onConnection(changes)
  let again = 0
  onAnswering(() => {
    again += 1
    unheard()
  })
  unheard()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(again).toBeGreaterThan(15)
  expect(again).toBeLessThan(45)
  expect(changes).not.toHaveBeenCalled()
  expect(connection().lost).toBe(false)
})

test('a doubt after a quiet minute is asked about at once, and what waits is asked again once', async () => {
  const { onAnswering, unheard } = await load()
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})))
  const again = vi.fn()
  onAnswering(again)
  for (const times of [1, 2, 3, 4, 5]) {
    unheard()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(again).toHaveBeenCalledTimes(times)
    await vi.advanceTimersByTimeAsync(60_000)
  }
})

test('the browser says that it is offline: the server is lost at once, and asked before it is found', async () => {
  const { connection, onAnswering, watchNetwork } = await load()
  const network = new EventTarget()
  vi.stubGlobal('window', network)
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})))
  const again = vi.fn()
  onAnswering(again)
  watchNetwork()
  network.dispatchEvent(new Event('offline'))
  expect(connection().lost).toBe(true)
  network.dispatchEvent(new Event('online'))
  expect(connection().lost).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(connection().lost).toBe(false)
  expect(again).toHaveBeenCalledTimes(1)
})
