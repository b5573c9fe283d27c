import { useEffect, useState, useSyncExternalStore } from 'react'
import { onTimeLearned, serverNow } from './server-clock'

/** The server's time now, in ms, renewed every `every` ms while the component is shown. */
export function useNow(every: number): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const look = () => setNow(serverNow())
    const timer = setInterval(look, every)
    const forget = onTimeLearned(look)
    return () => {
      clearInterval(timer)
      forget()
    }
  }, [every])
  return now
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the tab is visible. (At build time there is none.) */
export function useVisible(): boolean {
  return useSyncExternalStore(
    onVisibility,
    () => !document.hidden,
    () => false,
  )
}
