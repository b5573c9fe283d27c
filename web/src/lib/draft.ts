import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from 'react'
import { useSignedInUser } from './session'

/**
 * What a person has typed and not sent, kept for this tab: a lost session, a reload or a wrong link takes nothing away.
 *
 * - A draft belongs to one person: whoever signs in next in the same tab does not see it (`dropDraftsOfOthers`).
 * - What could be misused is never written down: codes, PINs and account numbers are named `withheld` by their form. It
 *   is only remembered that there were some, so that the screen can say that they must be entered again.
 * - A draft ends with its sending, with signing out, or with the tab.
 */
const PREFIX = 'draft:'
/** The longest text of any form. */
const LONGEST = 5_000

interface Stored {
  values: Record<string, unknown>
  /** Something withheld had been typed too. */
  partly: boolean
}

function nameOf(userId: string, form: string): string {
  return `${PREFIX}${userId}:${form}`
}

/** Storage may be full or refused: then what is typed lasts as long as the page. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}

export function readDraft(userId: string, form: string): Stored | undefined {
  return withStorage((storage) => {
    const value: unknown = JSON.parse(storage.getItem(nameOf(userId, form)) ?? 'null')
    if (typeof value !== 'object' || value === null) return undefined
    const { values, partly } = value as Partial<Stored>
    return typeof values === 'object' && values !== null ? { values, partly: partly === true } : undefined
  })
}

/** Keeps what differs from an untouched form; of what is withheld only that it was there. */
export function keepDraft<T extends object>(
  userId: string,
  form: string,
  values: T,
  { empty, withheld = [] }: Pick<DraftOf<T>, 'empty' | 'withheld'>,
): void {
  const before = empty as Record<string, unknown>
  const typed = Object.entries(values).filter(([field, value]) => value !== before[field])
  const kept = typed.filter(([field]) => !withheld.includes(field as keyof T))
  const partly = kept.length < typed.length
  const stored: Stored = { values: Object.fromEntries(kept), partly }
  if (typed.length === 0) dropDraft(userId, form)
  else withStorage((storage) => storage.setItem(nameOf(userId, form), JSON.stringify(stored)))
}

export function dropDraft(userId: string, form: string): void {
  withStorage((storage) => storage.removeItem(nameOf(userId, form)))
}

function dropWhere(goes: (key: string) => boolean): void {
  withStorage((storage) => {
    for (const key of Object.keys(storage)) if (key.startsWith(PREFIX) && goes(key)) storage.removeItem(key)
  })
}

/** Somebody is here: what another person left in this tab is not for them. */
export function dropDraftsOfOthers(userId: string): void {
  dropWhere((key) => !key.startsWith(nameOf(userId, '')))
}

/** Who signs out leaves nothing behind. */
export function dropAllDrafts(): void {
  dropWhere(() => true)
}

/** Forms that hold what no draft keeps: a code, a file. */
const atRisk = new Set<symbol>()

/** Would a reload lose something that was typed or chosen? */
export function somethingAtRisk(): boolean {
  return atRisk.size > 0
}

/** Says that a form holds what no draft keeps. */
export function useAtRisk(on: boolean): void {
  useEffect(() => {
    if (!on) return
    const own = Symbol('form')
    atRisk.add(own)
    return () => {
      atRisk.delete(own)
    }
  }, [on])
}

export interface DraftOf<T extends object> {
  /** Names the form, and what it is about where there are several of it. */
  form: string
  empty: T
  withheld?: readonly (keyof T)[]
  /** Makes the form's values of what is stored; without it each field of `empty` that is a text. */
  read?: (stored: Record<string, unknown>) => T
  /** On its way to the server: a draft only if it comes back. */
  sending?: boolean
}

export interface Draft<T> {
  values: T
  setValues: Dispatch<SetStateAction<T>>
  /** What was typed before is back: all of it, or all but what is withheld. */
  restored: 'whole' | 'partly' | undefined
  /** Empties the form and forgets the draft. */
  clear: () => void
  /** Forgets the draft; the form keeps what it shows. */
  forget: () => void
}

function textsOf<T extends object>(stored: Record<string, unknown>, empty: T): T {
  const entries = Object.entries(empty).map(([field, before]) => {
    const text = stored[field]
    return [field, typeof text === 'string' ? text.slice(0, LONGEST) : before]
  })
  return Object.fromEntries(entries) as T
}

function begin<T extends object>(userId: string, of: DraftOf<T>) {
  const stored = readDraft(userId, of.form)
  const values = stored ? (of.read ?? ((texts) => textsOf(texts, of.empty)))(stored.values) : of.empty
  const restored = stored ? (stored.partly ? ('partly' as const) : ('whole' as const)) : undefined
  return { form: of.form, values, restored }
}

/** A form's values, which outlive the page. */
export function useDraft<T extends object>(of: DraftOf<T>): Draft<T> {
  const { id } = useSignedInUser()
  const [state, setState] = useState(() => begin(id, of))
  // The same form about something else: the next record of a queue.
  if (state.form !== of.form) setState(begin(id, of))
  const { form, empty, withheld, sending } = of
  const { values } = state
  // biome-ignore lint/correctness/useExhaustiveDependencies: empty and withheld are made anew by every render, alike
  useEffect(() => {
    if (sending) dropDraft(id, form)
    else if (state.form === form) keepDraft(id, form, values, { empty, ...(withheld ? { withheld } : {}) })
  }, [id, form, state.form, values, sending])
  useAtRisk((withheld ?? []).some((field) => values[field] !== empty[field]))
  const setValues = useCallback<Draft<T>['setValues']>(
    (next) =>
      setState((before) => ({
        ...before,
        values: typeof next === 'function' ? (next as (values: T) => T)(before.values) : next,
      })),
    [],
  )
  const clear = () => {
    dropDraft(id, form)
    setState({ form, values: empty, restored: undefined })
  }
  const forget = useCallback(() => {
    dropDraft(id, form)
    setState((before) => ({ ...before, restored: undefined }))
  }, [id, form])
  return { values, setValues, restored: state.restored, clear, forget }
}
