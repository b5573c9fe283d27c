import type { QueryClient } from '@tanstack/react-query'
import { invalidate, kinds, type LiveEvent } from './invalidate'

/**
 * Server-sent events, one stream a browser: the visible tab that holds the Web Lock opens the stream and passes
 * each event on to the others by BroadcastChannel. Events only say what changed; the queries fetch it.
 * Polling stays as the fallback, so a browser without locks only loses the haste.
 */
const LOCK = 'tradepost-events'
function parse(kind: LiveEvent['kind'], data: string): LiveEvent {
  try {
    const value = JSON.parse(data) as { id?: unknown }
    return typeof value.id === 'string' ? { kind, id: value.id } : { kind }
  } catch {
    return { kind }
  }
}

/** Holds the stream while the tab is visible; `apply` receives the events of the tab that holds it. */
function listen(apply: (event: LiveEvent) => void): () => void {
  if (!('locks' in navigator) || !('BroadcastChannel' in window)) return () => {}
  const channel = new BroadcastChannel(LOCK)
  channel.onmessage = (message: MessageEvent<LiveEvent>) => apply(message.data)
  let turn: AbortController | undefined

  const hold = () => {
    const own = new AbortController()
    turn = own
    navigator.locks
      .request(LOCK, { signal: own.signal }, () => {
        const source = new EventSource('/api/events', { withCredentials: true })
        for (const kind of kinds) {
          source.addEventListener(kind, (message) => {
            const event = parse(kind, message.data)
            apply(event)
            channel.postMessage(event)
          })
        }
        return new Promise<void>((done) => {
          own.signal.addEventListener('abort', () => {
            source.close()
            done()
          })
        })
      })
      .catch(() => {
        // Aborted while waiting for its turn.
      })
  }
  const follow = () => {
    if (document.hidden) turn?.abort()
    else if (!turn || turn.signal.aborted) hold()
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    turn?.abort()
    channel.close()
  }
}

/** Keeps the queries fresh until the answer is called. */
export function keepFresh(client: QueryClient): () => void {
  return listen((event) => invalidate(client, event))
}
