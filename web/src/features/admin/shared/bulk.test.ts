import { describe, expect, it } from 'vitest'
import { HttpError } from '@/lib/http'
import { fateOf, forEach } from './bulk'

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
})
