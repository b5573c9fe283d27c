import { lazy, type RefObject, Suspense, useState } from 'react'
import { queue as texts } from '@/messages/admin-queue'
import { records } from '@/messages/admin-records'
import { type Shortcut, useKeys } from './keys'
import { entryOf } from './queue-focus'
import type { Selection } from './queue-table'

const KeyHelp = lazy(() => import('./key-help'))

/** One act on a row, by its key. Several may share one: the first that the row allows is meant. */
export interface RowAct<Row> {
  key: string
  label: string
  can: (row: Row) => boolean
  run: (row: Row) => void
}

const QUEUE = '[data-queue]'

interface QueueKeysInput<Row> {
  list: RefObject<HTMLElement | null>
  rows: readonly Row[]
  acts: readonly RowAct<Row>[]
  selection: Selection<Row> | undefined
}

/** The keys of every queue: what each does, for the page and for its legend. */
export function useQueueKeys<Row extends { id: string | number }>({
  list,
  rows,
  acts,
  selection,
}: QueueKeysInput<Row>) {
  const [help, setHelp] = useState(false)
  const elements = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const at = () => elements().findIndex((row) => row.contains(document.activeElement))
  const go = (to: number) => {
    const row = elements()[to]
    entryOf(row)?.focus()
    row?.scrollIntoView({ block: 'nearest' })
  }
  const step = (by: number) => () => go(at() < 0 ? 0 : at() + by)
  const worked = () => rows[Math.max(0, at())]
  const act = (key: string) => () => {
    const row = worked()
    const found = row ? acts.find((one) => one.key === key && one.can(row)) : undefined
    if (row && found) {
      if (at() < 0) go(0)
      found.run(row)
    }
  }
  // Named are the acts that some row allows.
  const open = acts.filter(({ can }) => rows.some(can))
  const labelOf = (key: string) =>
    [...new Set(open.filter((one) => one.key === key).map(({ label }) => label))].join(', ')
  const toggle = () => {
    const [row, place] = [worked(), at()]
    if (row && selection?.can(row)) selection.onToggle(row)
    go(place < 0 ? 1 : Math.min(place + 1, rows.length - 1))
  }
  const shortcuts: Shortcut[] = [
    { key: 'j', label: records.next, run: step(1) },
    { key: 'k', label: records.previous, run: step(-1) },
    ...[...new Set(open.map(({ key }) => key))].map((key) => ({ key, label: labelOf(key), run: act(key) })),
    ...(selection
      ? [
          { key: 'x', label: texts.toggle, run: toggle },
          { key: '*', label: texts.everything, run: () => selection.onAll(true) },
        ]
      : []),
    {
      key: 'Escape',
      label: texts.close,
      run: selection?.ids.size ? () => selection.onAll(false) : undefined,
    },
    { key: '?', label: texts.keys, run: () => setHelp(true) },
  ]
  // With several queues on a page the keys are for the one that has the focus, or else for the first with rows, or the first.
  const mine = () => {
    const own =
      document.activeElement?.closest(QUEUE) ??
      document.querySelector(`${QUEUE}:has([data-row])`) ??
      document.querySelector(QUEUE)
    return own === list.current
  }
  useKeys(shortcuts.map((one) => ({ ...one, when: mine })))
  const all = [shortcuts[0], shortcuts[1], { key: 'Enter', label: texts.open }, ...shortcuts.slice(2)].filter(
    (one) => one !== undefined,
  )
  return {
    all,
    help: help ? (
      <Suspense>
        <KeyHelp keys={all} onClose={() => setHelp(false)} />
      </Suspense>
    ) : null,
  }
}
