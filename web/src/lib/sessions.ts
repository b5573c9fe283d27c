/** The channel on which each page announces its person (lib/tabs.ts listens). */
export const SESSIONS = 'tradepost-sessions'

/** Notifies the other tabs of the signed-in person; a visitor is an empty id. */
export function announce(id: string): void {
  if (!('BroadcastChannel' in window)) return
  const channel = new BroadcastChannel(SESSIONS)
  channel.postMessage(id)
  channel.close()
}
