// @vitest-environment jsdom
import { act, createElement, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { translate } from './translate.fixture'

let root: Root

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  document.body.innerHTML = '<main></main>'
  root = createRoot(document.querySelector('main') as HTMLElement)
})

afterEach(() => act(() => root.unmount()))

const show = (node: ReactNode) => act(() => root.render(node))
const shown = () => document.querySelector('main')?.textContent

const Box = ({ children }: { children?: ReactNode }) => <p>{children}</p>

/** Each shape in which text lies beside something else, before and after a change. */
const shapes: [string, (after: boolean) => ReactNode][] = [
  [
    'an icon that changes',
    (after) => (
      <p>
        {after ? <i>2</i> : <b>1</b>} {after ? 'two' : 'one'}
      </p>
    ),
  ],
  [
    'an icon that comes',
    (after) => (
      <p>
        {after && <i />}
        {after ? 'two' : 'one'}
      </p>
    ),
  ],
  [
    'an icon that goes',
    (after) => (
      <p>
        {after || <i />}
        {after ? 'two' : 'one'}
      </p>
    ),
  ],
  [
    'two values',
    (after) => (
      <p>
        {after ? 2 : 1} {after ? 'ETH' : 'BTC'}
      </p>
    ),
  ],
  [
    'a text that comes',
    (after) => (
      <p>
        <b>a</b>
        {after ? ' b' : null}
      </p>
    ),
  ],
  [
    'a text that goes',
    (after) => (
      <p>
        {after ? null : 'b '}
        <b>a</b>
      </p>
    ),
  ],
  [
    'an empty text',
    (after) => (
      <p>
        <b>a</b>
        {after ? '' : 'b'}
        <i />
      </p>
    ),
  ],
  [
    'a fragment',
    (after) => (
      <p>
        <>{after ? 'two' : 'one'}</>
        {after ? null : <b>x</b>}
      </p>
    ),
  ],
  [
    'a list of texts',
    (after) => (
      <p>
        {after ? ['c', 'b'] : ['a', 'b', 'c']}
        {after ? <i>!</i> : null}
      </p>
    ),
  ],
  [
    'a component',
    (after) => (
      <Box>
        {after ? <i>2</i> : null}
        {after ? 'two' : 'one'}
      </Box>
    ),
  ],
  [
    'a component and text alone',
    (after) => (
      <Box>
        {after ? 'two' : 'one'} {3}
      </Box>
    ),
  ],
  [
    'text before a list',
    (after) => (
      <p>
        {'of '}
        {(after ? [2, 3] : [1]).map((n) => (
          <b key={n}>{n}</b>
        ))}
      </p>
    ),
  ],
  ['text that becomes an element', (after) => <p>{after ? <b>2</b> : 'one'}</p>],
  [
    'an option',
    (after) => (
      <select>
        <option>
          {after ? 2 : 1} {'x'}
        </option>
      </select>
    ),
  ],
]

test.each(shapes)('a translated page follows a change beside %s', (_, draw) => {
  show(draw(true))
  const after = shown()
  show(null)
  show(draw(false))
  const before = shown()
  translate(document.body)
  expect(shown()).toBe(before)
  show(draw(true))
  expect(shown()).toBe(after)
  translate(document.body)
  show(draw(false))
  expect(shown()).toBe(before)
})

test('without an element of its own, a text keeps what it was', () => {
  const plain = (amount: number) => createElement('p', null, amount, ' ', 'BTC')
  show(plain(1))
  translate(document.body)
  show(plain(2))
  expect(shown()).toBe('1 BTC')
})

test('text alone stays the only content of its element', () => {
  show(
    <p>
      {1} {'BTC'}
    </p>,
  )
  expect(document.querySelector('main')?.innerHTML).toBe('<p>1 BTC</p>')
  const imprint: string = ''
  show(<p>2026 {imprint}</p>)
  expect(document.querySelector('main')?.innerHTML, 'as a first view with a text in its place').toBe(
    '<p>2026 </p>',
  )
})

test('React warns of no missing key', () => {
  const said = vi.spyOn(console, 'error')
  for (const [, draw] of shapes) show(draw(false))
  expect(said.mock.calls).toEqual([])
})
