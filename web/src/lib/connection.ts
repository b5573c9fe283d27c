/**
 * Whether the server answers. Every call reports it (http.ts), and so does the browser. A call without an
 * answer is a doubt: a blocker may refuse that one address. A small probe decides, and is repeated with a
 * growing, randomised delay, so that a server that recovers does not receive all clients at once; while it
 * does not answer, the queries wait (router.tsx).
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
let attempt = 0
let provenAt = 0
const listeners = new Set<() => void>()
const waiting = new Set<() => void>()

function become(lost: boolean, heardAt = state.heardAt): void {
  const changed = state.lost !== lost
  // While the connection is up, answers notify no listener.
  state = changed ? { lost, heardAt } : Object.assign(state, { heardAt })
  if (!changed) return
  for (const listener of listeners) listener()
  if (!lost) for (const listener of waiting) listener()
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

/** Reads what the server always has. Without an answer the connection is lost. */
export async function probe(): Promise<boolean> {
  const answer = await fetch('/api/config', {
    cache: 'no-store',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined)
  const answered = answer !== undefined && !isGone(answer)
  become(!answered, answered ? Date.now() : undefined)
  if (answered) provenAt = Date.now()
  else askLater()
  return answered
}

async function ask(): Promise<void> {
  timer = undefined
  const doubted = !state.lost
  if ((await probe()) && doubted) for (const listener of waiting) listener()
}

function askLater(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void ask(), waitBefore(attempt, Math.random()))
  attempt += 1
}

/** Something answered a call. */
export function heard(answer: Response): void {
  if (isGone(answer)) {
    unheard()
    return
  }
  if (state.lost) {
    clearTimeout(timer)
    timer = undefined
  }
  become(false, Date.now())
}

/** Nothing answered a call. Doubts that come one after the other are asked about ever more rarely. */
export function unheard(): void {
  if (state.lost || timer !== undefined) return
  if (Date.now() - provenAt > MOST_MS) attempt = 0
  askLater()
}

export function connection(): Connection {
  return state
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Notifies once the server answered after a doubt or a loss: what got no answer may be asked again. */
export function onAnswering(listener: () => void): () => void {
  waiting.add(listener)
  return () => waiting.delete(listener)
}

function again(): void {
  attempt = 0
  askLater()
}

/** An offline event of the browser is accepted; an online event is verified by a probe. */
export function watchNetwork(): void {
  window.addEventListener('offline', () => {
    if (state.lost) return
    become(true)
    again()
  })
  window.addEventListener('online', () => {
    if (state.lost) again()
  })
}
