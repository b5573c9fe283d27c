import type { MouseEvent } from 'react'

/** Whether a click opens its link in this tab, and not in a new one. */
export function opensPlainly(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
}
