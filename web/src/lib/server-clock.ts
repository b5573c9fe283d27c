/**
 * The server's time, read from its answers: a browser's clock may be wrong, and the server's own may be
 * shifted. Deadlines and times come from the server, so intervals to or from them are counted by its clock.
 */

/** The header of each answer of the API (api/clock.go). */
const HEADER = 'x-server-time'

/** By how many ms the server's clock is ahead of this browser's; unknown until the first answer. */
let ahead: number | undefined

const listeners = new Set<() => void>()

/**
 * Adjusts the clock by an answer. The server read its time between `askedAt` and now, so half of the round
 * trip is subtracted. The earlier offset stays while it fits, or every answer would shift the clock a little.
 */
export function learnTime(answer: Response, askedAt: number): void {
  const told = Date.parse(answer.headers.get(HEADER) ?? '')
  if (Number.isNaN(told)) return
  const least = told - Date.now()
  const most = told - askedAt
  if (ahead !== undefined && ahead >= least && ahead <= most) return
  ahead = Math.round((least + most) / 2)
  for (const listener of listeners) listener()
}

/** Called when the clock was corrected. */
export function onTimeLearned(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The server's time for a moment of this browser's clock, in ms. */
export function serverTime(browserMs: number): number {
  return browserMs + (ahead ?? 0)
}

/** The server's time now, in ms. */
export function serverNow(): number {
  return serverTime(Date.now())
}
