import { expect, test } from 'vitest'

const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./api/**', '!./**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

test('no field cuts what is pasted: limits are of the cleaned text (components/text/limited.tsx)', () => {
  expect(Object.keys(sources).filter((path) => /maxLength|maxlength/.test(sources[path] ?? ''))).toEqual([])
})
