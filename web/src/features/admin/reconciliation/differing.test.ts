import { expect, it } from 'vitest'
import { shortTime } from '@/lib/format'
import { differingText } from './differing'

it('names the differences that are no break yet, and when the first becomes one', () => {
  expect(differingText([{ differing: 0, breakAt: null }])).toBe('')
  const late = { differing: 1, breakAt: '2026-11-29T07:12:00Z' }
  expect(differingText([late])).toBe(`1 difference, a break at ${shortTime(late.breakAt)}`)
  const early = { differing: 2, breakAt: '2026-11-29T07:05:00Z' }
  expect(differingText([late, early])).toBe(`3 differences, a break at ${shortTime(early.breakAt)}`)
  expect(differingText([{ differing: 1, breakAt: null }])).toBe('1 difference')
})
