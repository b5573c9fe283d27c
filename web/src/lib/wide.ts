import { useCallback, useSyncExternalStore } from 'react'

/** Reads a media query, and follows it. */
function useMedia(query: string): boolean {
  const listen = useCallback(
    (told: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', told)
      return () => media.removeEventListener('change', told)
    },
    [query],
  )
  return useSyncExternalStore(listen, () => matchMedia(query).matches)
}

/** Whether the window has room for dense rows (1,024 px). */
export function useWide(): boolean {
  return useMedia('(min-width: 64rem)')
}

/** Whether the window is a phone's: below 768 px. */
export function usePhone(): boolean {
  return useMedia('(width < 48rem)')
}
