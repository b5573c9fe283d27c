// @vitest-environment jsdom
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adminCustomers as texts } from '@/messages/admin-customers'
import { TierSelect } from './tier-select'

let root: Root
let chosen: string[] = []

beforeEach(() => {
  chosen = []
  document.body.innerHTML = '<div></div>'
  root = createRoot(document.querySelector('div') as HTMLElement)
  act(() => root.render(<TierSelect id="tier" tier="silver" onChoose={(tier) => chosen.push(tier)} />))
})

afterEach(() => act(() => root.unmount()))

const list = () => document.querySelector('select') as HTMLSelectElement
const key = (name: string) =>
  act(
    () =>
      void list().dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true })),
  )
const change = (value: string) =>
  act(() => {
    list().value = value
    list().dispatchEvent(new Event('change', { bubbles: true }))
  })

describe('the list of tiers', () => {
  it('chooses by click', () => {
    act(() => void list().dispatchEvent(new MouseEvent('pointerdown', { bubbles: true })))
    change('gold')
    expect(chosen).toEqual(['gold'])
  })

  it('chooses nothing by arrow keys or letters, and chooses what is shown by Enter', () => {
    key('ArrowDown')
    change('gold')
    key('p')
    change('platinum')
    expect(chosen).toEqual([])
    expect(document.querySelector('[role=status]')?.textContent).toBe(texts.pressEnter)
    key('Enter')
    expect(chosen).toEqual(['platinum'])
  })

  it('returns to the present tier when the focus leaves', () => {
    key('ArrowDown')
    change('gold')
    act(() => void list().dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
    expect(list().value).toBe('silver')
    expect(chosen).toEqual([])
  })
})
