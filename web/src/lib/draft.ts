import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from 'react'
import { atRisk, dropDraft, keepDraft, readDraft, type Untouched } from './drafts'
import { useSignedInUser } from './session'

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

export interface DraftOf<T extends object> extends Untouched<T> {
  /** Names the form, and what it is about where there are several of it. */
  form: string
  /** Makes the form's values of what is stored; without it each field of `empty` that is a text. */
  read?: (stored: Record<string, unknown>) => T
  /** Being sent: a draft only if the call fails. */
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

/** The longest text of any form. */
const LONGEST = 5_000

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
