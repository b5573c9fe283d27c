import { useState } from 'react'
import type { Selection } from './queue-table'

/** The rows that are selected. One that leaves the list, or may no longer be selected, is selected no more. */
export function useSelection<Row extends { id: string }>(rows: readonly Row[], can: (row: Row) => boolean) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => ids.has(row.id) && can(row))
  const selection: Selection<Row> = {
    ids: new Set(chosen.map(({ id }) => id)),
    can,
    onToggle: ({ id }) =>
      setIds((before) => {
        const now = new Set(before)
        if (!now.delete(id)) now.add(id)
        return now
      }),
    onAll: (on) => setIds(new Set(on ? rows.filter(can).map(({ id }) => id) : [])),
  }
  return { chosen, selection }
}
