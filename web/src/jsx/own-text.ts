/**
 * A browser that translates a page puts its own elements in place of text nodes. React keeps the node it made: where
 * text lies beside a sibling, the next change then fails, or shows beside the old text. Text that is an element's only
 * content is safe, because React replaces the content. So every text that has siblings gets an element of its own;
 * this is done where JSX becomes elements, which every page passes (own-text.test.tsx, translated.test.tsx).
 */
import type { ElementType, Key } from 'react'
import { jsx } from 'react/jsx-runtime'

export interface Props {
  children?: unknown
}

/** Hosts whose content is text alone. */
const plainHosts = /^(option|title|text|textarea|style)$/

const isText = (child: unknown): child is string | number =>
  typeof child === 'number' || (typeof child === 'string' && child !== '')

function wrap(child: unknown, key?: Key): unknown {
  if (Array.isArray(child)) return child.map((each, index) => wrap(each, `:${index}`))
  return isText(child) ? jsx('span', { children: child }, key) : child
}

/** The same properties, with no text beside a sibling. */
export function ownText(type: ElementType, props: Props, fixed: boolean): Props {
  const { children } = props
  if (!Array.isArray(children)) {
    // What a fragment holds lies among the siblings of the fragment.
    return typeof type === 'symbol' && isText(children) ? { ...props, children: wrap(children) } : props
  }
  if (plainHosts.test(String(type))) return { ...props, children: children.flat(9).filter(isText).join('') }
  // An empty text counts: what the server fills in (prerender.tsx) may be empty, and the markup is the same.
  if (typeof type !== 'symbol' && children.every((child) => isText(child) || child === ''))
    return { ...props, children: children.join('') }
  return { ...props, children: fixed ? children.map((child) => wrap(child)) : wrap(children) }
}
