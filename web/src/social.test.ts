import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test.each(['social.png', 'social-es.png'])('%s is as large as the server says: 1200 × 630', (card) => {
  const head = readFileSync(new URL(`../public/${card}`, import.meta.url)).subarray(0, 24)
  expect(head.toString('latin1', 1, 4)).toBe('PNG')
  expect([head.readUInt32BE(16), head.readUInt32BE(20)]).toEqual([1200, 630])
})
