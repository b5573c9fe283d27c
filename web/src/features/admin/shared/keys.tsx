import { Keyboard } from 'lucide-react'
import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { records as texts } from '@/messages/admin-records'

/** One key that acts on a page, without a modifier. */
export interface Shortcut {
  /** The browser's name of the key, a single character in lower case. */
  key: string
  label: string
  /** Undefined while there is nothing to do. */
  run: (() => void) | undefined
  /** Whether it is meant now, where another part of the page has the same key. */
  when?: () => boolean
}

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'repeat' | 'defaultPrevented' | 'preventDefault'
>

const STORED = 'shortcuts'
const listeners = new Set<() => void>()

function areOn(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off'
  } catch {
    return true
  }
}

function turn(on: boolean): void {
  try {
    if (on) localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, 'off')
  } catch {
    // Private windows may refuse storage: the keys stay as they are.
  }
  for (const told of listeners) told()
}

/** Whether single keys act here: who dictates, or presses keys by chance, turns them off. */
export function useShortcutsOn(): boolean {
  return useSyncExternalStore((told) => {
    listeners.add(told)
    return () => listeners.delete(told)
  }, areOn)
}

const writes = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]'

/** A key that is not being written somewhere, and was not pressed in a menu or in a dialog above what listens. */
function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  if (document.querySelector('[role=menu]:popover-open')) return false // which is open before it has the focus
  if (event.target instanceof HTMLElement && event.target.closest(`${writes}, [role=menu]`)) return false
  if (event.currentTarget !== document) return true
  // Escape belongs to a dialog until it has left the page: the selection behind it stays.
  return !document.querySelector(event.key === 'Escape' ? '[role=dialog]' : '[role=dialog][data-state=open]')
}

/**
 * Reports whether Ctrl-Enter (⌘-Enter) was pressed: its caller then confirms, and no other listener. A key that is held
 * down confirms once: it would go on to confirm the next dialog, which nobody has read.
 */
export function isConfirm(event: Pressed): boolean {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return false
  event.preventDefault()
  return !event.repeat
}

/** Lets single keys act on the page that is shown, or in the dialog that `within` stands in. */
export function useKeys(shortcuts: readonly Shortcut[], within?: RefObject<HTMLElement | null>): void {
  const on = useShortcutsOn()
  const latest = useRef(shortcuts)
  // With the rows on screen and not after them: between the two a key would act on a row that has moved.
  useLayoutEffect(() => {
    latest.current = shortcuts
  })
  useEffect(() => {
    if (!on) return
    const press = (event: KeyboardEvent) => {
      const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const found = latest.current.find(({ key }) => key === pressed)
      if (!found?.run || !isFree(event) || found.when?.() === false) return
      event.preventDefault()
      found.run()
    }
    const at: EventTarget = within?.current?.closest('[role=dialog]') ?? document
    const listener = press as EventListener
    at.addEventListener('keydown', listener)
    return () => at.removeEventListener('keydown', listener)
  }, [on, within])
}

const names: Record<string, string> = { Escape: 'Esc', ArrowLeft: '←', ArrowRight: '→' }

/** How a key is drawn. */
export function Key({ children }: { children: string }) {
  return (
    <kbd className="rounded border bg-muted px-1.5 py-0.5 font-mono text-xs leading-none text-muted-foreground">
      {names[children] ?? (children.length === 1 ? children.toUpperCase() : children)}
    </kbd>
  )
}

type KeyHint = Pick<Shortcut, 'key' | 'label'>

function hint({ key, label }: KeyHint) {
  return (
    <span key={key} className="inline-flex items-center gap-1.5">
      <Key>{key}</Key>
      {label}
    </span>
  )
}

/** Keys and what they do. */
export function KeyHints({ hints }: { hints: readonly KeyHint[] }) {
  return (
    <div className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground max-md:hidden">
      {hints.map(hint)}
    </div>
  )
}

/** Which keys act here, and the switch that turns them off. Where there is no keyboard it would only be in the way. */
export function KeyLegend({ shortcuts }: { shortcuts: readonly KeyHint[] }) {
  const on = useShortcutsOn()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted-foreground max-md:hidden">
      {on ? shortcuts.map(hint) : null}
      <button
        type="button"
        aria-pressed={on}
        onClick={() => turn(!on)}
        className="inline-flex min-h-6 items-center gap-1.5 rounded-sm underline-offset-4 hover:underline"
      >
        <Keyboard aria-hidden className="size-3.5" />
        {on ? texts.keysOff : texts.keysOn}
      </button>
    </div>
  )
}
