import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Textarea } from '@/components/ui/input'
import { useDraft } from '@/lib/draft'
import { messageOf } from '@/lib/http'
import { notes as texts } from '@/messages/admin-records'
import { isConfirm } from './keys'

interface Note {
  id: string
  author: string
  body: string
  createdAt: string
}

interface NotesProps {
  /** The record's own id: what is being written about it is kept under it. */
  about: string
  notes: readonly Note[]
  /** Left out for who may only read them. */
  add?: ((body: string) => Promise<unknown>) | undefined
  /** Invalidates the record's query. */
  onAdded: () => void
}

/** What staff noted among themselves about a record, newest first, and a field to add to it. */
export function Notes({ about, notes, add, onAdded }: NotesProps) {
  return (
    <Card>
      <CardTitle className="mb-4">{texts.title}</CardTitle>
      {add ? <NewNote about={about} add={add} onAdded={onAdded} /> : null}
      {notes.length === 0 ? (
        <p className="text-sm text-muted-foreground">{texts.none}</p>
      ) : (
        <ul className="divide-y text-sm">
          {notes.map((note) => (
            <li key={note.id} className="py-2">
              <p className="whitespace-pre-wrap wrap-anywhere">{note.body}</p>
              <p className="text-xs text-muted-foreground">
                {note.author} · <Time at={note.createdAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

type NewNoteProps = Pick<NotesProps, 'about' | 'onAdded'> & { add: (body: string) => Promise<unknown> }

function NewNote({ about, add, onAdded }: NewNoteProps) {
  const id = useId()
  const draft = useDraft({ form: `note:${about}`, empty: { written: '' } })
  const { written } = draft.values
  const body = written.trim()
  const change = useMutation({
    mutationFn: add,
    onSuccess: () => {
      draft.clear()
      onAdded()
    },
  })
  return (
    <form
      className="mb-4 space-y-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (body && !change.isPending) change.mutate(body)
      }}
      onKeyDown={(event) => {
        if (isConfirm(event)) event.currentTarget.requestSubmit()
      }}
    >
      <Restored draft={draft} />
      <Field
        id={id}
        label={texts.field}
        error={change.error ? messageOf(change.error, texts.failedText) : undefined}
      >
        {(field) => (
          <Textarea
            {...field}
            value={written}
            onChange={(event) => draft.setValues({ written: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" size="sm" disabled={!body || change.isPending}>
        {texts.add}
      </Button>
    </form>
  )
}
