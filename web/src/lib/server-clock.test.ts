import { beforeEach, expect, test, vi } from 'vitest'
import { ago, timeLeft } from './format'

/** The browser's clock, hours away from the server's. */
const browser = Date.parse('2026-11-22T03:00:00.000Z')
const server = Date.parse('2026-12-24T12:00:00.000Z')

let clock: typeof import('./server-clock')

beforeEach(async () => {
  vi.resetModules()
  vi.useFakeTimers({ now: browser })
  clock = await import('./server-clock')
})

function answer(at?: number) {
  return new Response(
    '',
    at === undefined ? {} : { headers: { 'X-Server-Time': new Date(at).toISOString() } },
  )
}

/** A call that took so many ms each way. */
function call(there: number, back: number, at = server + Date.now() - browser) {
  const asked = Date.now()
  vi.setSystemTime(asked + there + back)
  clock.learnTime(answer(at + there), asked)
}

test('a browser with a wrong clock counts by the server', () => {
  call(40, 40)
  expect(clock.serverNow()).toBe(server + 80)
  expect(ago(new Date(server - 120_000).toISOString(), clock.serverNow())).toBe('2 minutes ago')
  vi.setSystemTime(browser + 30_080)
  expect(timeLeft(server + 60_080 - clock.serverNow())).toBe('30 seconds')
})

test('the way there and back is halved, and what fits is not learned anew', () => {
  const heard = vi.fn()
  clock.onTimeLearned(heard)
  call(100, 300)
  expect(clock.serverNow()).toBe(server + 400 - 100)
  call(300, 100)
  expect(heard).toHaveBeenCalledTimes(1)
  call(5, 5)
  expect(clock.serverNow()).toBe(server + 810)
  expect(heard).toHaveBeenCalledTimes(2)
})

test('either clock may be moved on afterwards', () => {
  call(1, 1)
  call(1, 1, server + 86_400_000)
  expect(clock.serverNow()).toBe(server + 86_400_002)
  vi.setSystemTime(browser)
  call(1, 1, server + 86_400_002)
  expect(clock.serverNow()).toBe(server + 86_400_004)
})

test("an answer without a time teaches nothing: the browser's own clock stands in", () => {
  clock.learnTime(answer(), browser)
  expect(clock.serverNow()).toBe(browser)
})
