import { expect, test } from 'vitest'
import { codeOf } from './code'

const CODE = '123456'
const BACKUP = 'ABCD-EFGH-2345-IJKL'

test.each([
  '123456',
  '123 456',
  ' 123456',
  '123-456',
  '123\u2011456',
  '\u200b123456\u200b',
  '123\u00a0456',
  '１２３４５６',
  '١٢٣٤٥٦',
  '12\u00ad3456',
  '\ufeff123456\n',
])('six digits, however they are pasted: %j', (text) => {
  expect(codeOf(text)).toEqual({ shown: CODE, whole: true, long: false })
  expect(codeOf(text, 'too')).toEqual({ shown: CODE, whole: true, long: false })
})

test.each([
  ' ABCD-EFGH-2345-IJKL',
  'abcdefgh2345ijkl',
  'ABCD EFGH 2345 IJKL',
  'abcd\u2011efgh\u20132345\u00adijkl',
  'ＡＢＣＤＥＦＧＨ２３４５ＩＪＫＬ',
  'ABCD-\u200bEFGH-2345-IJKL\u202c',
])('a backup code, however it is pasted: %j', (text) => {
  expect(codeOf(text, 'only')).toEqual({ shown: BACKUP, whole: true, long: false })
  expect(codeOf(text, 'too')).toEqual({ shown: BACKUP, whole: true, long: false })
})

test('what is too long stays, and is no code', () => {
  expect(codeOf('1234567')).toEqual({ shown: '1234567', whole: false, long: true })
  expect(codeOf('1234567', 'too')).toEqual({ shown: '1234567', whole: false, long: true })
  expect(codeOf(`${BACKUP}M`, 'only')).toEqual({ shown: `${BACKUP}-M`, whole: false, long: true })
})

test('what is unfinished is no code', () => {
  expect(codeOf('12345').whole).toBe(false)
  expect(codeOf('ABCD-EFG', 'only')).toEqual({ shown: 'ABCD-EFG', whole: false, long: false })
  expect(codeOf('123456', 'only').whole).toBe(false)
})
