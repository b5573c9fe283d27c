import { Lock } from 'lucide-react'
import type { TicketMessage, TicketNote } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { Message } from '@/features/support/conversation'
import { inbox as texts } from '@/messages/admin-inbox'
import { support } from '@/messages/support'

interface TicketTimelineProps {
  messages: readonly TicketMessage[]
  notes: readonly TicketNote[]
}

/** A conversation with the notes of staff, each at its time. */
export function TicketTimeline({ messages, notes }: TicketTimelineProps) {
  const entries = [
    ...messages.map((message) => ({ at: message.createdAt, message })),
    ...notes.map((note) => ({ at: note.createdAt, note })),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return (
    <ol aria-label={support.conversation} aria-live="polite" className="space-y-4">
      {entries.map((entry) =>
        'note' in entry ? (
          <Note key={entry.note.id} note={entry.note} />
        ) : (
          <Message key={entry.message.id} message={entry.message} mine="staff" />
        ),
      )}
    </ol>
  )
}

/** Drawn unlike a message, so that it does not look like one that was sent. */
function Note({ note }: { note: TicketNote }) {
  return (
    <li className="rounded-lg border border-dashed border-pending-text/40 bg-pending-tint p-3 text-pending-text">
      <p className="flex flex-wrap items-center gap-x-1.5 text-xs">
        <Lock aria-hidden className="size-3.5" />
        <span className="font-medium">{texts.noteOf}</span> · {note.author} · <Time at={note.createdAt} />
      </p>
      <p dir="auto" className="mt-1 text-sm wrap-anywhere whitespace-pre-wrap text-foreground">
        {note.body}
      </p>
    </li>
  )
}
