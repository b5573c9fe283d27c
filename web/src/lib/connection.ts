/**
 * Whether the server answers. Every call reports it (http.ts), and so does the browser. While nothing
 * answers, a small probe is repeated with a growing, randomised delay, so that a server that recovers does
 * not receive all clients at once; the queries wait until it is answered (router.tsx).
 */
export interface Connection {
  lost: boolean
  /** By this browser's clock: what is on screen was true then. */
  heardAt: number
}

const FIRST_MS = 1_000
const MOST_MS = 30_000
const PATIENCE_MS = 5_000

let state: Connection = { lost: false, heardAt: Date.now() }
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function become(lost: boolean, heardAt = state.heardAt): void {
  const changed = state.lost !== lost
  // While the connection is up, answers notify no listener.
  state = changed ? { lost, heardAt } : Object.assign(state, { heardAt })
  if (changed) for (const listener of listeners) listener()
}

/**
 * An answer of a proxy whose server is gone: the platform's own errors always have a body that explains them.
 */
function isGone(answer: Response): boolean {
  return [502, 503, 504].includes(answer.status) && !answer.headers.get('content-type')?.includes('json')
}

/** The delay before the next probe: doubled each time, and between half and all of it. */
export function waitBefore(attempt: number, chance: number): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** attempt) * (0.5 + chance / 2)
}

async function ask(attempt: number): Promise<void> {
  try {
    heard(await fetch('/api/config', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) }))
  } catch {
    // Still nothing.
  }
  if (state.lost) askLater(attempt + 1)
}

function askLater(attempt: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void ask(attempt), waitBefore(attempt, Math.random()))
}

/** Something answered a call. */
export function heard(answer: Response): void {
  if (isGone(answer)) unheard()
  else {
    clearTimeout(timer)
    become(false, Date.now())
  }
}

/** Nothing answered a call. */
export function unheard(): void {
  if (state.lost) return
  become(true)
  askLater(0)
}

export function connection(): Connection {
  return state
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** An offline event of the browser is accepted; an online event is verified by a probe. */
export function watchNetwork(): void {
  window.addEventListener('offline', unheard)
  window.addEventListener('online', () => {
    if (state.lost) askLater(0)
  })
}
