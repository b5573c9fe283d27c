import type { QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** Keeps the queries fresh for a signed-in person; a visitor does not load what that takes. */
export function useLiveUpdates(client: QueryClient, signedIn: boolean): void {
  useEffect(() => {
    if (!signedIn) return
    let stop = () => {}
    let left = false
    void import('./live').then(({ keepFresh }) => {
      if (!left) stop = keepFresh(client)
    })
    return () => {
      left = true
      stop()
    }
  }, [client, signedIn])
}
