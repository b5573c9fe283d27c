import { expect, test } from 'vitest'
import { CODE_LENGTH, codeTyped } from './code'

test('a code is digits in groups of four, whatever is typed or pasted', () => {
  expect(codeTyped('1234')).toBe('1234')
  expect(codeTyped('12345')).toBe('1234-5')
  expect(codeTyped('1234-')).toBe('1234')
  for (const text of [
    ' 1234 5678x9012-3456',
    '1234\u20115678\u00a09012\u200b3456',
    '１２３４５６７８９０１２３４５６',
  ])
    expect(codeTyped(text)).toBe('1234-5678-9012-3456')
  expect(codeTyped('1234567890123456')).toHaveLength(CODE_LENGTH)
  expect(codeTyped('abc')).toBe('')
})

test('a code that is too long is not cut: it would be another voucher’s', () => {
  expect(codeTyped(' 1234 5678 9012 3456 7890')).toBe('1234-5678-9012-3456-7890')
})
