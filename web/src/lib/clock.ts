import { useEffect, useState, useSyncExternalStore } from 'react'

/** The time now, in ms, renewed every `every` ms while the component is shown. */
export function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Is the tab in view? */
export function useVisible(): boolean {
  return useSyncExternalStore(onVisibility, () => !document.hidden)
}
