import { CircleAlert } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { Notice } from '@/components/states/states'
import { Button } from '@/components/ui/button'
import { Dialog, DialogActions, DialogContent, focusField } from '@/components/ui/dialog'
import { Textarea } from '@/components/ui/input'
import { useDraft } from '@/lib/draft'
import { admin } from '@/messages/admin'
import { queue } from '@/messages/admin-queue'
import { common } from '@/messages/common'
import { isConfirm, Key, useShortcutsOn } from './keys'
import type { Act } from './use-act'

interface DecisionDialogProps {
  title: string
  /** Repeats the amount and the customer. */
  text: string
  confirm: string
  destructive?: boolean
  /** A decision that is kept with its reason; the button waits for one, unless it is optional. */
  reason?: { label: string; placeholder: string; presets?: readonly string[] | undefined; optional?: boolean }
  /** Something else that must be entered is not yet. */
  incomplete?: boolean
  /** What is done, and how it went so far. */
  decision: Pick<Act, 'mutate' | 'isPending' | 'refusal' | 'dialog'>
  children?: ReactNode
  /** Replaces the immediate decision: the input is confirmed first. */
  onConfirm?: (reason: string) => void
  onClose: () => void
}

const REASON = 'decision-reason'

/** Where a figure is written, rather than a reason chosen. */
const entered = `input:not([type=checkbox], [type=radio]), select, textarea:not(#${REASON})`

/** The confirmation before a decision about a customer's money. */
export function DecisionDialog(props: DecisionDialogProps) {
  const {
    title,
    text,
    confirm,
    destructive,
    reason,
    incomplete,
    decision,
    children,
    onConfirm = decision.mutate,
  } = props
  const { isPending: pending, refusal: error } = decision
  // The text names the amount and the customer: a reason comes back for this decision and for no other. A dialog ends
  // with its decision, so what is under way is a draft only if it is refused or lost. While it is open, what was written
  // stays: the amount may be chosen after it, or change because money came back elsewhere.
  const [form] = useState(`reason:${title}:${text}`)
  const draft = useDraft({ form, empty: { written: '' }, sending: pending })
  const { written } = draft.values
  const onClose = () => {
    draft.forget()
    props.onClose()
  }
  const needed = reason !== undefined && !reason.optional
  const missing = incomplete === true || (needed && written.trim() === '')
  const presets = reason?.presets ?? []
  const byNumber = useShortcutsOn()
  const press = (event: KeyboardEvent<HTMLElement>) => {
    // Whatever has the focus: the button that closes the dialog stands above the form.
    if (isConfirm(event)) {
      event.currentTarget.querySelector('form')?.requestSubmit()
      return
    }
    const preset = presets[Number(event.key) - 1]
    if (!byNumber || !preset || written !== '' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof HTMLElement && event.target.matches(entered)) return
    event.preventDefault()
    draft.setValues({ written: preset })
    event.currentTarget.querySelector<HTMLElement>(`#${REASON}`)?.focus()
  }
  return (
    <>
      <Dialog open onOpenChange={(open) => (open || pending ? undefined : onClose())}>
        <DialogContent title={title} description={text} onOpenAutoFocus={focusField} onKeyDown={press}>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (!missing && !pending) onConfirm(written.trim())
            }}
          >
            {children}
            {reason ? <Restored draft={draft} className="mb-3" /> : null}
            {presets.length > 0 ? (
              <Presets
                presets={presets}
                numbered={byNumber}
                written={written}
                onChoose={(preset) => draft.setValues({ written: preset })}
              />
            ) : null}
            {reason ? (
              <Field id={REASON} label={reason.label}>
                {(field) => (
                  <Textarea
                    {...field}
                    required={needed}
                    placeholder={reason.placeholder}
                    value={written}
                    onChange={(event) => draft.setValues({ written: event.target.value })}
                    onKeyDown={(event) => {
                      // A common reason that nothing was added to is confirmed like any other dialog.
                      const whole = presets.includes(written) && !event.shiftKey
                      if (event.key !== 'Enter' || !whole) return
                      event.preventDefault()
                      if (!event.repeat) event.currentTarget.form?.requestSubmit()
                    }}
                  />
                )}
              </Field>
            ) : null}
            {error ? (
              <Notice tone="danger" icon={CircleAlert} role="alert" title={error.title} className="mt-4">
                {error.text}
              </Notice>
            ) : null}
            <DialogActions>
              <Button variant="outline" onClick={onClose} disabled={pending}>
                {common.cancel}
              </Button>
              <Button
                type="submit"
                {...(destructive ? {} : { 'data-first': true })}
                variant={destructive ? 'destructive' : 'default'}
                disabled={missing || pending}
              >
                {pending ? admin.processing : confirm}
              </Button>
            </DialogActions>
          </form>
        </DialogContent>
      </Dialog>
      {decision.dialog}
    </>
  )
}

interface PresetsProps {
  presets: readonly string[]
  numbered: boolean
  written: string
  onChoose: (preset: string) => void
}

/** Reasons that are given often: pressing one, or its number, writes it down, and it can be added to. */
function Presets({ presets, numbered, written, onChoose }: PresetsProps) {
  return (
    <fieldset className="mb-3 flex flex-wrap gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{queue.presets}</legend>
      {presets.map((preset, index) => (
        <button
          key={preset}
          type="button"
          aria-keyshortcuts={numbered ? String(index + 1) : undefined}
          aria-pressed={written.startsWith(preset)}
          onClick={() => onChoose(preset)}
          className="inline-flex min-h-8 items-center gap-2 rounded-full border px-3 text-left text-dense hover:bg-accent aria-pressed:border-primary aria-pressed:bg-primary-tint"
        >
          {numbered ? (
            <span aria-hidden className="max-md:hidden">
              <Key>{String(index + 1)}</Key>
            </span>
          ) : null}
          {preset}
        </button>
      ))}
    </fieldset>
  )
}
