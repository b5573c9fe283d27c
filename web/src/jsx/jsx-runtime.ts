/** What JSX becomes in a build: React's own, with every text in an element of its own. */
import type { ElementType, Key } from 'react'
import { jsx as element, jsxs as elements } from 'react/jsx-runtime'
import { ownText, type Props } from './own-text'

export type { JSX } from 'react'
export { Fragment } from 'react/jsx-runtime'

export const jsx = (type: ElementType, props: Props, key?: Key) =>
  element(type, ownText(type, props, false), key)

export const jsxs = (type: ElementType, props: Props, key?: Key) =>
  elements(type, ownText(type, props, true), key)
