/** What JSX becomes while developing and in tests: as jsx-runtime.ts. */
import type { ElementType, Key } from 'react'
import { jsxDEV as element, type JSXSource } from 'react/jsx-dev-runtime'
import { ownText, type Props } from './own-text'

export type { JSX } from 'react'
export { Fragment } from 'react/jsx-runtime'

export function jsxDEV(
  type: ElementType,
  props: Props,
  key: Key | undefined,
  fixed: boolean,
  source?: JSXSource,
  self?: unknown,
) {
  const owned = ownText(type, props, fixed)
  return element(type, owned, key, fixed && Array.isArray(owned.children), source, self)
}
