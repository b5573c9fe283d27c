import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { disguised, Person } from './person'

test('a domain with letters of several scripts is shown in ASCII, too', () => {
  expect(disguised('ana@exаmple.com')).toBe('xn--exmple-4nf.com')
  expect(disguised('ana@аррӏе.com')).toMatch(/^xn--.*\.com$/)
  for (const plain of ['ana@example.com', 'ana@bücher.example', 'Ana Müller', 'Ana', 'ana@', '李 小龙']) {
    expect(disguised(plain)).toBeUndefined()
  }
})

test('a name stands apart from the text around it', () => {
  expect(renderToStaticMarkup(<Person name="شيرين" />)).toBe('<bdi>شيرين</bdi>')
  expect(renderToStaticMarkup(<Person name="ana@exаmple.com" />)).toContain('(xn--exmple-4nf.com)')
})
