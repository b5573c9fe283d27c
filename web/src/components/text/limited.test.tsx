// @vitest-environment jsdom
import { act, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LimitedInput, LimitedText } from './limited'

let root: Root
const submitted = vi.fn()

function Form({ kind: Kind }: { kind: typeof LimitedText | typeof LimitedInput }) {
  const [value, setValue] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submitted(value)
      }}
    >
      <label htmlFor="message">Message</label>
      <Kind
        id="message"
        limit={20}
        value={value}
        onChange={(event: { target: { value: string } }) => setValue(event.target.value)}
      />
      <button type="submit">Send</button>
    </form>
  )
}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  document.body.innerHTML = '<main></main>'
  root = createRoot(document.querySelector('main') as HTMLElement)
  submitted.mockClear()
})

afterEach(() => act(() => root.unmount()))

const field = () => document.querySelector('#message') as HTMLTextAreaElement | HTMLInputElement

function type(text: string): void {
  const of = field() instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement
  act(() => {
    Object.getOwnPropertyDescriptor(of.prototype, 'value')?.set?.call(field(), text)
    field().dispatchEvent(new Event('input', { bubbles: true }))
  })
}

const send = () => act(() => document.querySelector('button')?.click())

test.each([
  ['several lines', LimitedText],
  ['one line', LimitedInput],
])('%s: what is too long stays, says so and is not submitted', (_, kind) => {
  act(() => root.render(<Form kind={kind} />))
  expect(field().hasAttribute('maxlength')).toBe(false)
  type('x'.repeat(27))
  expect(field().value).toBe('x'.repeat(27))
  expect(document.querySelector('[role=alert]')?.textContent).toBe(
    'Message: 27 characters, at most 20. Remove 7. Nothing was cut.',
  )
  expect(field().getAttribute('aria-invalid')).toBe('true')
  expect(field().getAttribute('aria-describedby')).toBe('message-count')
  send()
  expect(submitted).not.toHaveBeenCalled()
  expect(document.activeElement).toBe(field())

  type('x'.repeat(18))
  expect(document.querySelector('[role=alert]')).toBeNull()
  expect(document.querySelector('#message-count')?.textContent).toBe('18 of 20 characters')
  send()
  expect(submitted).toHaveBeenCalledExactlyOnceWith('x'.repeat(18))
})

test('what cannot be seen does not count', () => {
  act(() => root.render(<Form kind={LimitedText} />))
  type(`${'x'.repeat(20)}\u200b\u00ad\ufeff  `)
  expect(document.querySelector('[role=alert]')).toBeNull()
  send()
  expect(submitted).toHaveBeenCalledOnce()
})
