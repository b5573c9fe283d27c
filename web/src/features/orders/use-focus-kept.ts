import { useEffect, useRef } from 'react'

/**
 * An act ends with the page that offered it changed: when the control that had the focus is gone or disabled, the
 * focus goes to what the order says now. `state` is what its changes are noticed by.
 */
export function useFocusKept(state: unknown): void {
  const last = useRef<Element>(null)
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element) last.current = target
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new state is the cause
  useEffect(() => {
    const lost = last.current && (!last.current.isConnected || last.current.matches(':disabled'))
    if (!lost || document.activeElement !== document.body) return
    const title = document.querySelector<HTMLElement>('#situation-title') ?? document.querySelector('h1')
    title?.focus({ preventScroll: true })
  }, [state])
}
