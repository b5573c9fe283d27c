import { probe } from './connection'
import { somethingAtRisk } from './drafts'

const KEY = 'reloaded-release'
/** The header of each answer of the API, and a tag of each page (api/release.go). */
const HEADER = 'x-release'
/** Marks the error of a chunk that could not be loaded. */
const MISSING = 'missing chunk: '

function own(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=release]')?.content ?? ''
}

let newer = false
const listeners = new Set<() => void>()

/** Reads the server's release from an answer. It reloads nothing: the person decides when. */
export function learnRelease(answer: Response): void {
  const told = answer.headers.get(HEADER)
  if (newer || !told || told === own()) return
  // A page without the tag is of a development server, which has no releases.
  newer = own() !== ''
  if (newer) for (const listener of listeners) listener()
}

export function isNewer(): boolean {
  return newer
}

export function onNewer(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Could this part of the app not be loaded? */
export function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(MISSING)
}

/** Once a release, so that a broken one cannot loop. */
function mayReload(): boolean {
  if (sessionStorage.getItem(KEY) === import.meta.url) return false
  // The entry's own address has its hash in it: it names the release.
  sessionStorage.setItem(KEY, import.meta.url)
  return true
}

/** Reloads the page if the server is reachable, and no input is lost by it. */
async function mend(): Promise<void> {
  if ((await probe()) && !somethingAtRisk() && mayReload()) window.location.reload()
}

/**
 * A chunk could not be loaded: it belongs to an older release and is gone, or the server is unreachable. The
 * router would reload the page in both cases, uselessly in the second; the mark prevents that, and Crashed
 * shows the reason.
 */
export function mendMissingChunks(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const { payload } = event
    payload.message = MISSING + payload.message
    void mend()
  })
}
