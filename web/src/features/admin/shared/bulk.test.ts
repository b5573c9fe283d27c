import { describe, expect, it } from 'vitest'
import { HttpError } from '@/lib/http'
import { fateOf, forEach, pacer } from './bulk'

describe('several decisions at once', () => {
  it('asks for each exactly once, in order, never more than are allowed at a time', async () => {
    const asked: number[] = []
    let now = 0
    let most = 0
    await forEach([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      asked.push(item)
      now += 1
      most = Math.max(most, now)
      await Promise.resolve()
      now -= 1
    })
    expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(3)
  })

  it('does nothing for none', async () => {
    await forEach([], 4, () => Promise.reject(new Error('asked')))
  })

  it('calls refused only what the server refused', () => {
    const refusal = new HttpError(409, 'Conflict', '{"message":"It waits for compliance"}')
    expect(fateOf(refusal)).toEqual({ is: 'refused', why: 'It waits for compliance' })
    expect(fateOf(new HttpError(502, 'Bad Gateway', '')).is).toBe('unanswered')
    expect(fateOf(new TypeError('Failed to fetch')).is).toBe('unanswered')
  })

  const throttled = (retryAfter: string) =>
    new HttpError(429, 'Too Many Requests', '{"message":"Too many requests"}', retryAfter)

  it('waits for Retry-After, sends a throttled call again and loses none of sixty', async () => {
    const waits: number[] = []
    let tokens = 40
    const done: number[] = []
    const paced = pacer(
      () => false,
      async (seconds) => {
        waits.push(seconds)
        await Promise.resolve()
        tokens += seconds
      },
    )
    const rows = Array.from({ length: 60 }, (_, row) => row)
    await forEach(rows, 4, (row) =>
      paced(
        async () => {
          await Promise.resolve()
          if (tokens < 1) throw throttled('3')
          tokens -= 1
          done.push(row)
        },
        () => undefined,
      ),
    )
    expect(done.toSorted((a, b) => a - b)).toEqual(rows)
    expect(new Set(waits)).toEqual(new Set([3]))
  })

  it('ends when it is stopped, and never calls a throttled row rejected', async () => {
    let stopped = false
    const paced = pacer(
      () => stopped,
      async () => {
        await Promise.resolve()
        stopped = true
      },
    )
    const sent = paced(
      () => Promise.reject(throttled('1')),
      () => undefined,
    )
    expect(await sent.catch(fateOf)).toEqual({ is: 'unsent' })
  })
})
