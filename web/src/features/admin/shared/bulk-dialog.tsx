import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { Outcome } from '@/api/types.gen'
import { StatusBadge } from '@/components/status/badge'
import type { StatusLook } from '@/components/status/status'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent, focusField } from '@/components/ui/dialog'
import { count } from '@/lib/format'
import { bulk as texts } from '@/messages/admin-proposals'
import { bulkRun } from '@/messages/admin-queue'
import { common } from '@/messages/common'
import { AT_ONCE, type Fate, fateOf, forEach, pacer } from './bulk'

interface BulkDialogProps<Row> {
  rows: readonly Row[]
  title: (n: number) => string
  text: (rows: readonly Row[]) => string
  confirm: (n: number) => string
  /** What a row is called once its call was answered: some calls only start what they ask for. */
  doneLabel?: string
  /** The text of each row. */
  line: (row: Row) => ReactNode
  act: (row: Row) => Promise<Outcome>
  /** The queries to invalidate after it. */
  changes: readonly QueryKey[]
  onClose: () => void
}

/** The fates of calls that are still to be answered, or were not sent. */
const unanswered: readonly Fate['is'][] = ['asking', 'waiting', 'unsent']

const failed = (fate: Fate | undefined) => fate?.is === 'refused' || fate?.is === 'unanswered'

/** Several decisions: each is its own call, the rest can be cancelled, and each result is shown. */
export function BulkDialog<Row extends { id: string }>(props: BulkDialogProps<Row>) {
  const { title, text, confirm, line, act, changes, doneLabel, onClose } = props
  // The list is still updated behind the dialog; the acts apply to the rows that were selected.
  const [rows] = useState(props.rows)
  const [fates, setFates] = useState<Record<string, Fate>>({})
  const stopped = useRef(false)
  const client = useQueryClient()
  const run = useMutation({
    mutationFn: () => {
      const paced = pacer(() => stopped.current)
      return forEach(rows, AT_ONCE, async (row) => {
        if (stopped.current) return
        const say = (fate: Fate) => setFates((before) => ({ ...before, [row.id]: fate }))
        say({ is: 'asking' })
        const sent = paced(
          () => act(row),
          () => say({ is: 'waiting' }),
        )
        say(await sent.then(({ state }): Fate => ({ is: state === 'done' ? 'done' : 'working' }), fateOf))
      })
    },
    onSettled: () => {
      for (const queryKey of changes) void client.invalidateQueries({ queryKey })
    },
  })
  const answered = Object.values(fates).filter(({ is }) => !unanswered.includes(is))
  const ended = run.isSuccess
  // Failures stand first.
  const shown = ended
    ? rows.toSorted((a, b) => Number(failed(fates[b.id])) - Number(failed(fates[a.id])))
    : rows
  return (
    <Dialog open onOpenChange={(open) => (open || run.isPending ? undefined : onClose())}>
      <DialogContent title={title(rows.length)} description={text(rows)} onOpenAutoFocus={focusField}>
        {run.isIdle ? null : (
          <Progress
            done={answered.length}
            of={rows.length}
            failures={answered.filter(failed).length}
            ended={ended}
          />
        )}
        <ul className="max-h-[50dvh] divide-y overflow-y-auto text-sm md:text-dense">
          {shown.map((row) => (
            <Line key={row.id} fate={fates[row.id]} doneLabel={doneLabel}>
              {line(row)}
            </Line>
          ))}
        </ul>
        <DialogActions>
          {run.isPending ? (
            <Button
              variant="outline"
              onClick={() => {
                stopped.current = true
              }}
            >
              {bulkRun.stop}
            </Button>
          ) : (
            <Button variant="outline" onClick={onClose}>
              {run.isIdle ? common.cancel : common.close}
            </Button>
          )}
          {ended ? null : (
            <Button data-first onClick={() => run.mutate()} disabled={run.isPending}>
              {confirm(rows.length)}
            </Button>
          )}
        </DialogActions>
      </DialogContent>
    </Dialog>
  )
}

interface ProgressProps {
  done: number
  of: number
  failures: number
  ended: boolean
}

function Progress({ done, of, failures, ended }: ProgressProps) {
  const left = of - done
  const said = !ended
    ? bulkRun.progress(count(done), count(of))
    : [
        failures > 0 ? bulkRun.result(count(done - failures), count(failures)) : bulkRun.allDone(count(done)),
        left > 0 ? bulkRun.stopped(count(left)) : '',
      ]
        .filter(Boolean)
        .join('. ')
  return (
    <div className="mb-4 space-y-1.5">
      <progress
        value={done}
        max={of}
        aria-label={bulkRun.progress(count(done), count(of))}
        className="h-2 w-full overflow-hidden rounded-full accent-primary"
      />
      <p role="status" className="text-sm font-medium tabular-nums">
        {said}
      </p>
    </div>
  )
}

const looks: Record<Fate['is'], StatusLook> = {
  asking: { label: texts.fates.asking, tone: 'progress' },
  waiting: { label: texts.fates.waiting, tone: 'progress' },
  unsent: { label: texts.fates.unsent, tone: 'pending' },
  done: { label: texts.fates.done, tone: 'success' },
  working: { label: texts.fates.working, tone: 'info' },
  refused: { label: texts.fates.refused, tone: 'danger' },
  unanswered: { label: texts.fates.unanswered, tone: 'pending' },
}

interface LineProps {
  fate: Fate | undefined
  doneLabel: string | undefined
  children: ReactNode
}

function Line({ fate, doneLabel, children }: LineProps) {
  const look =
    fate && (fate.is === 'done' && doneLabel ? { ...looks.done, label: doneLabel } : looks[fate.is])
  return (
    <li className="space-y-1 py-2 wrap-anywhere first:pt-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1">{children}</div>
        <span>{look ? <StatusBadge look={look} /> : null}</span>
      </div>
      {fate?.is === 'refused' && fate.why ? <p className="text-danger-text">{fate.why}</p> : null}
      {fate?.is === 'unanswered' ? <p>{texts.unansweredText}</p> : null}
    </li>
  )
}
