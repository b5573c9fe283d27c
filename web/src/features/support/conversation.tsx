import type { TicketMessage } from '@/api/types.gen'
import { Time } from '@/components/status/time'
import { cn } from '@/lib/cn'
import { support as texts } from '@/messages/support'

/** The messages as plain text, whatever their content. `mine` is the side whose page this is. */
export function Conversation({
  messages,
  mine,
}: {
  messages: readonly TicketMessage[]
  mine: TicketMessage['author']
}) {
  return (
    <ol aria-label={texts.conversation} aria-live="polite" className="space-y-4">
      {messages.map((message) => (
        <Message key={message.id} message={message} mine={mine} />
      ))}
    </ol>
  )
}

/** One message, on the side of who wrote it. */
export function Message({ message, mine }: { message: TicketMessage; mine: TicketMessage['author'] }) {
  return (
    <li
      className={cn(
        'max-w-prose rounded-lg border p-3',
        message.author === mine ? 'ml-auto bg-primary-tint' : 'bg-card',
      )}
    >
      <p className="text-xs text-muted-foreground">
        <span className="font-medium text-foreground">{nameOf(message, mine)}</span> ·{' '}
        <Time at={message.createdAt} />
      </p>
      {message.erased ? (
        <p className="mt-1 text-sm text-muted-foreground">{texts.erased}</p>
      ) : (
        <p dir="auto" className="mt-1 text-sm wrap-anywhere whitespace-pre-wrap">
          {message.body}
        </p>
      )}
    </li>
  )
}

function nameOf(message: TicketMessage, mine: TicketMessage['author']): string {
  if (message.author === 'staff') return message.name ? `${message.name} · ${texts.us}` : texts.us
  return mine === 'customer' ? texts.you : message.name || texts.ticket
}
