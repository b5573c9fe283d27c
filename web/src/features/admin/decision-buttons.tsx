import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { records as texts } from '@/messages/admin-records'
import { useKeys } from './keys'

/** What refuses or takes back opens its dialog in quiet red; only the dialog's own button is filled. */
export const quietDanger = 'border-danger-text/40 text-danger-text hover:bg-danger-tint'

/** How a button is drawn: what the work waits for is filled, what refuses or takes back is quiet red. */
export function lookOf(weight: 'first' | 'danger' | undefined) {
  return {
    variant: weight === 'first' ? 'default' : 'outline',
    className: weight === 'danger' ? quietDanger : '',
  } as const
}

export interface DecisionButton<A extends string> {
  action: A
  label: string
  variant: 'default' | 'outline' | 'destructive'
  /** The key that opens its dialog. */
  shortcut: string
}

interface DecisionButtonsProps<A extends string> {
  /** A decision is being carried out: nothing can be decided meanwhile. */
  underWay: boolean
  buttons: readonly DecisionButton<A>[]
  dialog: (action: A, close: () => void) => ReactNode
}

/** What a person may decide about a record, each with its dialog and its key. */
export function DecisionButtons<A extends string>({ underWay, buttons, dialog }: DecisionButtonsProps<A>) {
  const [open, setOpen] = useState<A>()
  useKeys(
    buttons.map(({ action, label, shortcut }) => ({
      key: shortcut,
      label,
      run: underWay ? undefined : () => setOpen(action),
    })),
  )
  if (underWay) return <p className="text-sm text-muted-foreground">{texts.underWay}</p>
  return (
    <>
      {buttons.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {buttons.map(({ action, label, variant, shortcut }) => (
            <Button
              key={action}
              variant={variant === 'destructive' ? 'outline' : variant}
              className={variant === 'destructive' ? quietDanger : ''}
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
  actions: readonly A[]
  labels: Readonly<Record<A, string>>
  /** The ones that the row waits for. */
  first?: readonly A[]
  /** The ones that refuse or take back. */
  refusing?: readonly A[]
  /** What the row is called, for those who do not see it. */
  row: string
  dialog: (action: A, close: () => void) => ReactNode
}

/** What a person may decide about one row of a list, each with its dialog. */
export function RowDecisions<A extends string>(props: RowDecisionsProps<A>) {
  const { actions, labels, first = [], refusing = [], row, dialog } = props
  const [open, setOpen] = useState<A>()
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action}
          {...lookOf(first.includes(action) ? 'first' : refusing.includes(action) ? 'danger' : undefined)}
          size="sm"
          onClick={() => setOpen(action)}
        >
          {labels[action]}
          <span className="sr-only"> {row}</span>
        </Button>
      ))}
      {open ? dialog(open, () => setOpen(undefined)) : null}
    </>
  )
}
