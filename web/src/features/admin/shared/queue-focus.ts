import { focusAfterDialog } from '@/components/ui/dialog'

let current: { list: HTMLElement; row: Element; below: Element[] } | undefined

/** Notes the row that is worked on, and those below it; nothing once the list is unmounted. */
export function workOn(list: HTMLElement | null, row: Element | null): void {
  current = list && row ? { list, row, below: rowsBelow(list, row) } : undefined
}

/** The rows below one, in their order. */
export function rowsBelow(list: Element | null, row: Element): Element[] {
  const rows = rowsIn(list)
  return rows.slice(rows.indexOf(row) + 1)
}

/** The first of the rows that stood below one that is gone, or the last of the list. */
export function nextOf(list: Element | null, below: Element[]): Element | undefined {
  return below.find((row) => row.isConnected) ?? rowsIn(list).at(-1)
}

/** The rows of a list, in their order. */
export function rowsIn(list: Element | null): Element[] {
  return [...(list?.querySelectorAll('[data-row]') ?? [])]
}

/** What opens a row, or the first thing in it that can have the focus, or the row where it has none. */
export function entryOf(row: Element | null | undefined): HTMLElement | null {
  const inside = ['[data-open]', 'a, button'].map((entry) => row?.querySelector<HTMLElement>(entry))
  return inside[0] ?? inside[1] ?? (row as HTMLElement | undefined) ?? null
}

/**
 * A decision about the row succeeded: once its dialog closes, the focus moves to the row after it, whatever
 * was added or removed above. Where none is left it moves to the list, which announces it; on a record's own
 * page, to its heading.
 */
export function onToNextRow(): void {
  if (!current) {
    const heading = document.querySelector('h1')
    if (heading) focusAfterDialog(heading)
    return
  }
  const { list, row, below } = current
  const next = row.isConnected ? (rowsBelow(list, row)[0] ?? rowsIn(list).at(-2)) : nextOf(list, below)
  focusAfterDialog(entryOf(next) ?? list)
}
