/**
 * The toast store in shadcn's shape: one toast at a time, shown for 5,000 ms, and a dismissed one is removed
 * from memory after 1,000,000 ms (specification §9). A toast is never the only bearer of bad news.
 */
export const TOAST_LIMIT = 1
export const TOAST_DURATION_MS = 5_000
export const TOAST_REMOVE_DELAY_MS = 1_000_000

export interface ToastAction {
  label: string
  href: string
}

export interface ToastContent {
  title: string
  description?: string
  variant?: 'default' | 'destructive'
  action?: ToastAction
  /** The page leaves: what else went wrong on the way does not cover this. */
  last?: boolean
}

export interface Toast extends ToastContent {
  id: string
  open: boolean
  shownAt: number
}

/** A success shown this shortly before a page is left explains the navigation: "Order created". */
const LEAVING_MS = 1_000

type Listener = (toasts: readonly Toast[]) => void

let toasts: readonly Toast[] = []
let count = 0
let quietUntil = 0
const listeners = new Set<Listener>()
const removals = new Map<string, ReturnType<typeof setTimeout>>()

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener(toasts)
}

/** Shows a toast in place of the one on screen, and returns its id. */
export function toast(content: ToastContent): string {
  if (content.last) quietUntil = Date.now() + TOAST_DURATION_MS
  else if (Date.now() < quietUntil) return ''
  count += 1
  const id = String(count)
  publish([{ ...content, id, open: true, shownAt: Date.now() }, ...toasts].slice(0, TOAST_LIMIT))
  return id
}

/** Closes one toast; it leaves the store after the removal delay. */
export function dismissToast(id: string): void {
  publish(toasts.map((entry) => (entry.id === id ? { ...entry, open: false } : entry)))
  if (removals.has(id)) return
  removals.set(
    id,
    setTimeout(() => {
      removals.delete(id)
      publish(toasts.filter((entry) => entry.id !== id))
    }, TOAST_REMOVE_DELAY_MS),
  )
}

/** The page is left: its toast is removed. */
export function leaveToasts(): void {
  for (const { id, open, last, shownAt, variant } of toasts) {
    const goesAlong = last || (variant !== 'destructive' && Date.now() - shownAt <= LEAVING_MS)
    if (open && !goesAlong) dismissToast(id)
  }
}

export function currentToasts(): readonly Toast[] {
  return toasts
}

export function subscribeToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
