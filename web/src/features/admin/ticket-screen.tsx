import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { AdminTicketDetail } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Textarea } from '@/components/ui/input'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { support, inbox as texts } from '@/messages/support'
import { Conversation } from '../support/conversation'
import { ticketLooks } from '../support/looks'
import { useMessage } from '../support/use-message'
import { RecordFrame, RecordHead, RecordLead } from './record-frame'
import { adminTicketQuery, ticketActions } from './ticket-queries'

/** One ticket with its conversation, and what staff can do with it. */
export function AdminTicketScreen({ id }: { id: string }) {
  return (
    <RecordFrame query={useQuery(adminTicketQuery(id))} title={support.ticket} failed={texts.fetchFailed}>
      {(ticket) => <Loaded ticket={ticket} />}
    </RecordFrame>
  )
}

function Loaded({ ticket }: { ticket: AdminTicketDetail }) {
  return (
    <>
      <RecordHead
        title={support.subjects[ticket.subject]}
        lead={
          <>
            <RecordLead record={ticket} />
            {ticket.about ? ` · ${ticket.about.reference}` : ''}
          </>
        }
        look={ticketLooks[ticket.status]}
        list={{ to: '/admin/support', title: texts.title }}
      />
      <div className="max-w-3xl space-y-6">
        <Card>
          <Conversation messages={ticket.conversation} mine="staff" />
        </Card>
        <Acts ticket={ticket} />
      </div>
    </>
  )
}

const plain = ['take', 'close', 'reopen'] as const

function Acts({ ticket }: { ticket: AdminTicketDetail }) {
  const client = useQueryClient()
  const message = useMessage()
  const acting = useMutation({
    mutationFn: (act: () => Promise<AdminTicketDetail>) => act(),
    onSuccess: (data) => {
      client.setQueryData(adminTicketQuery(ticket.id).queryKey, data)
      toast({ title: texts.done })
    },
    onError: (error) =>
      toast({
        title: texts.failed,
        description: messageOf(error, texts.failed),
        variant: 'destructive',
      }),
    onSettled: () => void client.invalidateQueries({ queryKey: ['admin-tickets'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (acting.isPending || !message.text.trim()) return
    acting.mutate(() => ticketActions.reply(ticket.id, message.text, message.key()), {
      onSuccess: () => message.write(''),
    })
  }
  return (
    <>
      {ticket.actions.includes('reply') ? (
        <form onSubmit={submit} className="space-y-3">
          <Field id="answer" label={texts.reply} hint={texts.replyHint}>
            {(field) => (
              <Textarea
                {...field}
                maxLength={5000}
                value={message.text}
                onChange={(event) => message.write(event.target.value)}
              />
            )}
          </Field>
          <Button type="submit" disabled={acting.isPending || !message.text.trim()}>
            {texts.send}
          </Button>
        </form>
      ) : null}
      <div className="flex flex-wrap gap-2">
        {plain
          .filter((action) => ticket.actions.includes(action))
          .map((action) => (
            <Button
              key={action}
              variant="outline"
              disabled={acting.isPending}
              onClick={() => acting.mutate(() => ticketActions[action](ticket.id))}
            >
              {texts[action]}
            </Button>
          ))}
      </div>
    </>
  )
}
