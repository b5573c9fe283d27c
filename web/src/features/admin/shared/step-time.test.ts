import { expect, test } from 'vitest'
import { lapOf } from './step-time'

test('a minute and more is said in minutes', () => {
  expect([lapOf(0), lapOf(59), lapOf(60), lapOf(653)]).toEqual(['0 s', '59 s', '1 min 0 s', '10 min 53 s'])
})
