import { useSyncExternalStore } from 'react'

const WIDE = '(min-width: 64rem)'

function listen(told: () => void): () => void {
  const media = matchMedia(WIDE)
  media.addEventListener('change', told)
  return () => media.removeEventListener('change', told)
}

/** Whether the window has room for dense rows (1,024 px). */
export function useWide(): boolean {
  return useSyncExternalStore(listen, () => matchMedia(WIDE).matches)
}
