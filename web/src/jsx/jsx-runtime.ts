/** What JSX becomes in a build: React's own, with every text in an element of its own. */
import type { ElementType, Key } from 'react'
import { jsx as element, jsxs as elements } from 'react/jsx-runtime'
import { ownText, type Props } from './own-text'

export type { JSX } from 'react'
export { Fragment } from 'react/jsx-runtime'

export const jsx = (type: ElementType, props: Props, key?: Key) =>
  element(type, ownText(type, props, false), key)

export function jsxs(type: ElementType, props: Props, key?: Key) {
  const owned = ownText(type, props, true)
  return (Array.isArray(owned.children) ? elements : element)(type, owned, key)
}
