/**
 * A person's unsent input, kept for this tab, so that a lost session, a reload or a wrong link loses nothing.
 *
 * - A draft belongs to one person: the next person to sign in in the same tab does not see it
 *   (`dropDraftsOfOthers`).
 * - Secrets are never stored: codes, PINs and account numbers are named `withheld` by their form. Only their
 *   presence is remembered, so that the screen can ask for them again.
 * - A draft ends with its sending, with signing out, or with the tab.
 */
const PREFIX = 'draft:'

/** A form as it is before anything is typed, and its fields that are never written down. */
export interface Untouched<T extends object> {
  empty: T
  withheld?: readonly (keyof T)[]
}

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
  { empty, withheld = [] }: Untouched<T>,
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

/** What a visitor chose before they signed in becomes theirs. */
export function adoptDrafts(userId: string): void {
  withStorage((storage) => {
    const visitors = nameOf('', '')
    for (const key of Object.keys(storage)) {
      if (!key.startsWith(visitors)) continue
      storage.setItem(nameOf(userId, key.slice(visitors.length)), storage.getItem(key) ?? '')
      storage.removeItem(key)
    }
  })
}

/** A signed-in person is known: another person's drafts in this tab are removed. */
export function dropDraftsOfOthers(userId: string): void {
  dropWhere((key) => !key.startsWith(nameOf(userId, '')))
}

/** Who signs out leaves nothing behind. */
export function dropAllDrafts(): void {
  dropWhere(() => true)
}

/** Forms that hold what no draft keeps: a code, a file. */
export const atRisk = new Set<symbol>()

/** Would a reload lose something that was typed or chosen? */
export function somethingAtRisk(): boolean {
  return atRisk.size > 0
}
