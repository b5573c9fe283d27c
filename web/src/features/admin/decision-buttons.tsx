import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { records as texts } from '@/messages/admin-records'

interface DecisionButtonsProps<A extends string> {
  /** A decision is being carried out: nothing can be decided meanwhile. */
  underWay: boolean
  buttons: readonly { action: A; label: string; variant: 'default' | 'outline' | 'destructive' }[]
  dialog: (action: A, close: () => void) => ReactNode
}

/** What a person may decide about a record, each with its dialog. */
export function DecisionButtons<A extends string>({ underWay, buttons, dialog }: DecisionButtonsProps<A>) {
  const [open, setOpen] = useState<A>()
  if (underWay) return <p className="text-sm text-muted-foreground">{texts.underWay}</p>
  return (
    <>
      {buttons.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          {buttons.map(({ action, label, variant }) => (
            <Button key={action} variant={variant} onClick={() => setOpen(action)}>
              {label}
            </Button>
          ))}
        </div>
      ) : null}
      {open ? dialog(open, () => setOpen(undefined)) : null}
    </>
  )
}
