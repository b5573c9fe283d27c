import { render, screen } from '@testing-library/react'
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
  const { container } = render(<Person name="شيرين" />)
  expect(container.querySelector('bdi')?.textContent).toBe('شيرين')
  render(<Person name="ana@exаmple.com" />)
  expect(screen.getByText(/xn--exmple-4nf\.com/)).toBeDefined()
})
