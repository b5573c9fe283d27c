import { focusAfterDialog } from '@/components/ui/dialog'

let current: { list: Element; row: Element; at: number } | undefined

/** Notes the row that is worked on, and where it stands in its list; nothing once the list goes. */
export function workOn(list: Element | null, row: Element | null): void {
  current = list && row ? { list, row, at: rowsIn(list).indexOf(row) } : undefined
}

/** The rows of a list, in their order. */
export function rowsIn(list: Element | null): Element[] {
  return [...(list?.querySelectorAll('[data-row]') ?? [])]
}

/** What opens a row, or the first thing in it that can have the focus. */
export function entryOf(row: Element | null | undefined): HTMLElement | null {
  return (
    row?.querySelector<HTMLElement>('[data-open]') ?? row?.querySelector<HTMLElement>('a, button') ?? null
  )
}

/**
 * A decision about the row succeeded: once its dialog closes, the focus goes to the row after it, or to the one that has
 * taken its place already.
 */
export function onToNextRow(): void {
  if (!current) return
  const rows = rowsIn(current.list)
  const at = rows.indexOf(current.row)
  const next = rows[at < 0 ? current.at : at + 1] ?? rows.at(at < 0 ? -1 : -2)
  const entry = entryOf(next)
  if (entry) focusAfterDialog(entry)
}
