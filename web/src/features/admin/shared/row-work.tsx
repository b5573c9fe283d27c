import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent } from '@/components/ui/dialog'
import { queue } from '@/messages/admin-queue'
import { records } from '@/messages/admin-records'
import { allowed, type DecisionButton, inOrder } from './decision-buttons'
import type { RowAct } from './queue-keys'
import { type MenuItem, RowMenu } from './row-menu'

interface RowWorkInput<Row, A extends string> {
  rows: readonly Row[]
  /** What a row is called. */
  nameOf: (row: Row) => string
  /** All that can be done about a row: what it waits for stands in it, the rest in its menu. */
  buttons: readonly DecisionButton<A>[]
  /** The buttons of a row that have other weights there. */
  buttonsOf?: (row: Row) => readonly DecisionButton<A>[]
  /** Which of it this admin has now, as the server says. */
  may: (row: Row) => readonly string[]
  /** A decision is being executed: the text in place of the buttons. */
  busy?: (row: Row) => string | false | null | undefined
  /** Where else a row leads. */
  links?: (row: Row) => readonly MenuItem[]
  dialog: (row: Row, action: A | 'details', close: () => void) => ReactNode
  /** Acts without a dialog, which navigate at once. */
  atOnce?: Partial<Record<A, (row: Row) => void>>
  /** What an act's key does while several rows are selected. */
  together?: (action: A) => (() => void) | undefined
}

/** What can be done about the rows of a queue: in the row, in its menu and by key, all by the same dialogs. */
export interface RowWork<Row, A extends string = string> {
  acts: readonly RowAct<Row>[]
  actions: (row: Row) => ReactNode
  /** The possible acts on a row on a phone; none where it is read-only. */
  phoneActs: (row: Row) => ReactNode
  open: (row: Row, action: A | 'details') => void
  dialog: ReactNode
}

export function useRowWork<Row extends { id: string }, A extends string>(
  input: RowWorkInput<Row, A>,
): RowWork<Row, A> {
  const { rows, buttons, may, busy, dialog, atOnce, together } = input
  const [opened, setOpened] = useState<{ row: Row; action: A | 'details' }>()
  const possible = (row: Row) => (busy?.(row) ? [] : allowed(input.buttonsOf?.(row) ?? buttons, may(row)))
  const run = (row: Row, action: A) => {
    const act = atOnce?.[action]
    if (act) act(row)
    else setOpened({ row, action })
  }
  // The dialog shows the row as it is now. One that was decided leaves the list, and its details with it.
  const now = rows.find(({ id }) => id === opened?.row.id)
  if (opened?.action === 'details' && !now) setOpened(undefined)
  const actions = (row: Row) => <RowEnd row={row} possible={possible(row)} input={input} onRun={run} />
  return {
    acts: buttons.flatMap(({ action, label, shortcut: key }) =>
      key
        ? [
            {
              key,
              label,
              can: (row: Row) => possible(row).some((one) => one.action === action),
              run: (row: Row) => (together?.(action) ?? (() => run(row, action)))(),
            },
          ]
        : [],
    ),
    actions,
    phoneActs: (row) => (busy?.(row) || possible(row).length > 0 ? actions(row) : null),
    open: (row, action) => setOpened({ row, action }),
    dialog: opened ? dialog(now ?? opened.row, opened.action, () => setOpened(undefined)) : null,
  }
}

interface RowEndProps<Row, A extends string> {
  row: Row
  possible: readonly DecisionButton<A>[]
  input: RowWorkInput<Row, A>
  onRun: (row: Row, action: A) => void
}

/** The one act a row waits for, and a menu with the rest. */
function RowEnd<Row, A extends string>({ row, possible, input, onRun }: RowEndProps<Row, A>) {
  const said = input.busy?.(row)
  const name = input.nameOf(row)
  const { first, rest, keyOf } = inOrder(possible)
  return (
    <>
      {said ? <span className="text-muted-foreground">{said}</span> : null}
      {first ? (
        <Button
          size="sm"
          variant="outline"
          className="px-2.5 md:h-7"
          aria-keyshortcuts={keyOf(first)}
          onClick={() => onRun(row, first.action)}
        >
          {first.label}
          <span className="sr-only"> {name}</span>
        </Button>
      ) : null}
      <RowMenu
        row={name}
        items={[
          ...rest.map((button) => ({
            label: button.label,
            shortcut: keyOf(button),
            danger: button.weight === 'danger',
            run: () => onRun(row, button.action),
          })),
          ...(input.links?.(row) ?? []),
        ]}
      />
    </>
  )
}

interface RowDetailsProps {
  title: string
  /** The row's card. */
  children: ReactNode
  onClose: () => void
}

/** All details of a row without a page of its own. */
export function RowDetails({ title, children, onClose }: RowDetailsProps) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent title={title} className="md:max-w-2xl">
        <div className="*:border-0! *:p-0!">{children}</div>
      </DialogContent>
    </Dialog>
  )
}

/** Whether a row's decision is being executed, and the text for it. */
export const whileDeciding = (deciding: unknown) => (deciding ? records.underWayShort : undefined)

/** The way to the row's workflow, for those who may see it. */
export const toWorkflow = (href: string | null | undefined): readonly MenuItem[] =>
  href ? [{ label: queue.workflow, href }] : []

/** The way from a row to its customer. */
export const toCustomer = (label: string, id: string): MenuItem => ({
  label,
  link: { to: '/admin/customers/$id', params: { id } },
})
