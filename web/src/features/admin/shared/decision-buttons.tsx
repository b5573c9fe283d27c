import { type ReactNode, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { records as texts } from '@/messages/admin-records'
import { useKeys } from './keys'

/**
 * A button that refuses or withdraws opens its dialog in quiet red; only the dialog's own button is filled.
 */
export const quietDanger = 'border-danger-text/40 text-danger-text hover:bg-danger-tint'

/** How a button is drawn: the expected act is filled, one that refuses or withdraws is quiet red. */
export function lookOf(weight: 'first' | 'danger' | undefined) {
  return {
    variant: weight === 'first' ? 'default' : 'outline',
    className: weight === 'danger' ? quietDanger : '',
  } as const
}

/** One possible act on a record: its button, how that is drawn, and its shortcut key. */
export interface DecisionButton<A extends string> {
  action: A
  label: string
  weight?: 'first' | 'danger'
  shortcut?: string
}

/** The buttons of what the server allows. */
export function allowed<A extends string>(
  buttons: readonly DecisionButton<A>[],
  actions: readonly string[],
): readonly DecisionButton<A>[] {
  return buttons.filter(({ action }) => actions.includes(action))
}

/** The one act that the work waits for, the others, and each act's key. Of two acts with one key the key means the first. */
export function inOrder<A extends string>(possible: readonly DecisionButton<A>[]) {
  const first = possible.find(({ weight }) => weight === 'first')
  return {
    first,
    rest: possible.filter((button) => button !== first),
    keyOf: (button: DecisionButton<A>) =>
      button === possible.find(({ shortcut }) => shortcut === button.shortcut) ? button.shortcut : undefined,
  }
}

/** The keys of buttons, as a page's legend names them. */
export function keyHints(buttons: readonly DecisionButton<string>[]) {
  return buttons.flatMap(({ label, shortcut: key }) => (key ? [{ key, label }] : []))
}

interface DecisionButtonsProps<A extends string> {
  /** A decision is being executed: until it ends no other can be made. */
  underWay: boolean
  buttons: readonly DecisionButton<A>[]
  dialog: (action: A, close: () => void) => ReactNode
}

/** The possible decisions about a record, each with its dialog and its key. */
export function DecisionButtons<A extends string>({ underWay, buttons, dialog }: DecisionButtonsProps<A>) {
  const [open, setOpen] = useState<A>()
  useKeys(
    buttons.flatMap(({ action, label, shortcut: key }) =>
      key ? [{ key, label, run: underWay ? undefined : () => setOpen(action) }] : [],
    ),
  )
  if (underWay) return <p className="text-sm text-muted-foreground">{texts.underWay}</p>
  return (
    <>
      {buttons.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {buttons.map(({ action, label, weight, shortcut }) => (
            <Button
              key={action}
              {...lookOf(weight)}
              aria-keyshortcuts={shortcut}
              onClick={() => setOpen(action)}
            >
              {label}
            </Button>
          ))}
        </div>
      ) : null}
      {open ? dialog(open, () => setOpen(undefined)) : null}
    </>
  )
}

interface RowDecisionsProps<A extends string> {
  buttons: readonly DecisionButton<A>[]
  /** Which of them this admin has, as the server says. */
  actions: readonly string[]
  /** What the row is called, for those who do not see it. */
  row: string
  /** The row is alone on its page or in its drawer: its keys act there. */
  keyed?: boolean
  dialog: (action: A, close: () => void) => ReactNode
}

/** What a person may decide about one row of a list, each with its dialog. */
export function RowDecisions<A extends string>(props: RowDecisionsProps<A>) {
  const { buttons, actions, row, keyed, dialog } = props
  const [open, setOpen] = useState<A>()
  const at = useRef<HTMLSpanElement>(null)
  const possible = allowed(buttons, actions)
  useKeys(
    possible.flatMap(({ action, label, shortcut: key }) =>
      keyed && key ? [{ key, label, run: () => setOpen(action) }] : [],
    ),
    at,
  )
  return (
    <>
      <span ref={at} hidden />
      {possible.map(({ action, label, weight, shortcut }) => (
        <Button
          key={action}
          {...lookOf(weight)}
          size="sm"
          aria-keyshortcuts={keyed ? shortcut : undefined}
          onClick={() => setOpen(action)}
        >
          {label}
          <span className="sr-only"> {row}</span>
        </Button>
      ))}
      {open ? dialog(open, () => setOpen(undefined)) : null}
    </>
  )
}
