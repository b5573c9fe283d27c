import type { QueryClient } from '@tanstack/react-query'
import { onAnswering } from './connection'
import { appFetch } from './http'
import { confirmOwner } from './owner'
import { SESSIONS } from './sessions'

/** Hides what is private (app.css) until the page's person is confirmed. */
function hide(hidden: boolean): void {
  document.documentElement.toggleAttribute('data-unsure', hidden)
}

/**
 * The page of a signed-in person, and the other tabs of the same browser: when one of them starts without a
 * session or with another person's, and when this page is restored from the browser's cache, nothing private
 * stays on screen until the server has confirmed that the session is still this person's. If it is not, the
 * page leaves (main.tsx).
 */
export function minePrivately(client: QueryClient, id: string): () => void {
  let unsure = false
  const makeSure = async () => {
    unsure = true
    hide(true)
    try {
      await confirmOwner()
      await appFetch('/api/auth/user')
    } catch {
      return // The page leaves; without an answer, the check is repeated when the server answers.
    }
    unsure = false
    hide(false)
    void client.invalidateQueries()
  }
  const channel = new BroadcastChannel(SESSIONS)
  channel.onmessage = ({ data }: MessageEvent<string>) => {
    if (data !== id) void makeSure()
  }
  const comeBack = (event: PageTransitionEvent) => {
    if (event.persisted) void makeSure()
  }
  window.addEventListener('pageshow', comeBack)
  const forget = onAnswering(() => {
    if (unsure) void makeSure()
  })
  return () => {
    channel.close()
    window.removeEventListener('pageshow', comeBack)
    forget()
  }
}
