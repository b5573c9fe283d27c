import { expect, test } from 'vitest'
import { CODE_LENGTH, codeTyped } from './code'

test('a code is digits in groups of four, whatever is typed or pasted', () => {
  expect(codeTyped('1234')).toBe('1234')
  expect(codeTyped('12345')).toBe('1234-5')
  expect(codeTyped('1234-')).toBe('1234')
  expect(codeTyped(' 1234 5678x9012-3456 7890')).toBe('1234-5678-9012-3456')
  expect(codeTyped('1234567890123456')).toHaveLength(CODE_LENGTH)
  expect(codeTyped('abc')).toBe('')
})
