import type { QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** Keeps the queries of a signed-in person fresh, and theirs alone; a visitor does not load its code. */
export function useLiveUpdates(client: QueryClient, signedIn: boolean, id: string | undefined): void {
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
  useEffect(() => {
    if (!id) return
    let stop = () => {}
    let left = false
    void import('./tabs').then(({ minePrivately }) => {
      if (!left) stop = minePrivately(client, id)
    })
    return () => {
      left = true
      stop()
    }
  }, [client, id])
}
