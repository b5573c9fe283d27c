import { useLocation } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { AdminTicketDetail } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { SendError } from '@/components/form/send-error'
import { LimitedText } from '@/components/text/limited'
import { Button } from '@/components/ui/button'
import { useMessage } from '@/features/support/use-message'
import { linesOf, sizeOf } from '@/lib/clean'
import { cn } from '@/lib/cn'
import { inbox as texts } from '@/messages/admin-inbox'
import { ticketActions } from './queries'
import { useTicketAct } from './use-ticket-act'

/** Where an address leads that is about answering. */
export const ANSWER = 'answer'

export type ComposerMode = 'reply' | 'note'

/** What is being written, to the customer or among staff: each keeps its own draft. */
export function useComposer(ticket: AdminTicketDetail) {
  const modes = (['reply', 'note'] as const).filter((mode) =>
    mode === 'reply' ? ticket.actions.includes('reply') : ticket.mayNote,
  )
  const [chosen, setChosen] = useState<ComposerMode>('reply')
  const [asked, setAsked] = useState(0)
  const answer = useMessage(`reply:${ticket.id}`)
  const note = useMessage(`note:${ticket.id}`)
  const mode = modes.includes(chosen) ? chosen : modes[0]
  const open = (to: ComposerMode) => {
    setChosen(to)
    setAsked((times) => times + 1)
  }
  return { modes, mode, open, asked, choose: setChosen, answer, note }
}

interface TicketComposerProps {
  ticket: AdminTicketDetail
  composer: ReturnType<typeof useComposer>
  onClosed: (() => void) | undefined
}

/** Where staff write. A note is always distinct from an answer: the field and its button say which it is. */
export function TicketComposer({ ticket, composer, onClosed }: TicketComposerProps) {
  const { modes, mode, asked, choose, answer, note } = composer
  const field = useRef<HTMLTextAreaElement>(null)
  const act = useTicketAct()
  const { hash } = useLocation()
  useEffect(() => {
    if (asked > 0 || hash === ANSWER) field.current?.focus()
  }, [asked, hash])
  if (!mode) return null
  const isNote = mode === 'note'
  const message = isNote ? note : answer
  const written = message.text
  const most = isNote ? 2000 : 5000
  const send = (close: boolean) => {
    const said = linesOf(written)
    if (!said || sizeOf(written) > most || act.isPending) return
    if (isNote)
      act.mutate({
        done: texts.noted,
        run: () => ticketActions.note(ticket.id, said),
        after: note.draft.clear,
      })
    else
      act.mutate({
        done: close ? texts.closed : texts.answeredToast,
        run: () => ticketActions.reply(ticket.id, said, close, answer.key()),
        after: () => {
          answer.draft.clear()
          if (close) onClosed?.()
        },
      })
  }
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      send(event.shiftKey && !isNote)
    } else return
    event.stopPropagation()
  }
  return (
    <form
      className="space-y-3"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        send(false)
      }}
    >
      {modes.length > 1 ? <Modes modes={modes} mode={mode} onChange={choose} /> : null}
      <Restored draft={message.draft} />
      <Field
        id={ANSWER}
        label={isNote ? texts.note : texts.reply}
        hint={isNote ? texts.noteHint : texts.replyHint}
      >
        {(props) => (
          <LimitedText
            {...props}
            ref={field}
            limit={most}
            value={written}
            className={cn('min-h-32', isNote && 'border-dashed border-pending-text/40 bg-pending-tint')}
            onKeyDown={keys}
            onChange={(event) => message.write(event.target.value)}
          />
        )}
      </Field>
      <SendError error={act.error} fallback={texts.failed} />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" disabled={act.isPending || !written.trim()}>
          {isNote ? texts.addNote : texts.send}
        </Button>
        {isNote ? null : (
          <Button variant="outline" disabled={act.isPending || !written.trim()} onClick={() => send(true)}>
            {texts.sendAndClose}
          </Button>
        )}
        <span className="text-xs text-muted-foreground max-md:hidden">
          {isNote ? texts.noteKeys : texts.sendKeys}
        </span>
      </div>
    </form>
  )
}

interface ModesProps {
  modes: readonly ComposerMode[]
  mode: ComposerMode
  onChange: (mode: ComposerMode) => void
}

function Modes({ modes, mode, onChange }: ModesProps) {
  return (
    <fieldset className="inline-flex rounded-md border p-0.5">
      <legend className="sr-only">{texts.write}</legend>
      {modes.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === mode}
          aria-keyshortcuts={one === 'note' ? 'n' : 'r'}
          onClick={() => onChange(one)}
          className={cn(
            'min-h-9 rounded px-3 text-sm hover:bg-accent md:min-h-8',
            'aria-pressed:bg-primary-tint aria-pressed:font-medium aria-pressed:text-primary',
          )}
        >
          {texts[one]}
        </button>
      ))}
    </fieldset>
  )
}
