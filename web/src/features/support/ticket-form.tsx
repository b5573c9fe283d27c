import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { NewTicket, Ticket } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { SendError } from '@/components/form/send-error'
import { LimitedText } from '@/components/text/limited'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { useDraft } from '@/lib/draft'
import { fieldMessage, idempotencyKey, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { support as texts } from '@/messages/support'
import { ask } from './queries'

export interface TicketTopic {
  orderId?: string | undefined
  giftCardId?: string | undefined
}

const subjects = Object.entries(texts.subjects) as [Ticket['subject'], string][]

/** The specification's form. The key belongs to what is written: a retry is the same ticket, a change another. */
export function TicketForm({
  about = {},
  opening = '',
  onDone,
}: {
  about?: TicketTopic
  /** What the message begins with. */
  opening?: string
  onDone?: (ticket: Ticket) => void
}) {
  const client = useQueryClient()
  const isAbout = Boolean(about.orderId || about.giftCardId)
  const draft = useDraft({
    form: `ticket:${about.orderId ?? about.giftCardId ?? opening}`,
    empty: { subject: isAbout || opening ? 'transaction' : '', message: opening, key: '' },
  })
  const { subject, message } = draft.values
  const [gap, setGap] = useState(false)
  const sending = useMutation({
    mutationFn: (key: string) => {
      const ticket: NewTicket = { subject, message }
      if (about.orderId) ticket.orderId = about.orderId
      else if (about.giftCardId) ticket.giftCardId = about.giftCardId
      return ask(ticket, key)
    },
    onSuccess: (ticket) => {
      // Where the page goes on to the ticket, there is nothing to open.
      toast({
        title: texts.submitted,
        ...(onDone ? {} : { action: { label: texts.open, href: `/support/${ticket.id}` } }),
      })
      draft.clear()
      void client.invalidateQueries({ queryKey: ['tickets'] })
      onDone?.(ticket)
    },
    onError: (error) =>
      toast({
        title: texts.failed,
        description: messageOf(error, '') || undefined,
        variant: 'destructive',
      }),
  })
  const change = (part: { subject?: string; message?: string }) => {
    setGap(false)
    draft.setValues((before) => ({ ...before, ...part, key: idempotencyKey() }))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (sending.isPending) return
    if (!subject || !message.trim()) {
      setGap(true)
      toast({ title: texts.failed, description: texts.fillAll, variant: 'destructive' })
      return
    }
    // A message that is sent as it stood has no key yet.
    const key = draft.values.key || idempotencyKey()
    draft.setValues((before) => ({ ...before, key }))
    sending.mutate(key)
  }
  const wrong = (field: string, value: string) =>
    gap && !value.trim() ? texts.fillAll : fieldMessage(sending.error, field)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <Restored draft={draft} />
      <Field id="ticket-subject" label={texts.subject} error={wrong('subject', subject)}>
        {(field) => (
          <Select {...field} value={subject} onChange={(event) => change({ subject: event.target.value })}>
            <option value="">{texts.chooseSubject}</option>
            {subjects.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        id="ticket-message"
        label={texts.message}
        hint={texts.messageHint}
        error={wrong('message', message)}
      >
        {(field) => (
          <LimitedText
            {...field}
            limit={5000}
            value={message}
            onChange={(event) => change({ message: event.target.value })}
          />
        )}
      </Field>
      <SendError error={sending.error} fallback={texts.failed} />
      <Button type="submit" disabled={sending.isPending}>
        {sending.isPending ? texts.submitting : texts.submit}
      </Button>
    </form>
  )
}
