import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { FormEvent } from 'react'
import type { TicketDetail } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Restored } from '@/components/form/restored'
import { SendError } from '@/components/form/send-error'
import { NotFound } from '@/components/layout/not-found'
import { Page } from '@/components/layout/page'
import { Failed, LoadingRows } from '@/components/states/states'
import { StatusBadge } from '@/components/status/badge'
import { Time } from '@/components/status/time'
import { LimitedText } from '@/components/text/limited'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { Card } from '@/components/ui/card'
import { HttpError, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { support as texts } from '@/messages/support'
import { Conversation } from './conversation'
import { ticketLooks } from './looks'
import { close, ticketQuery, write } from './queries'
import { useMessage } from './use-message'

export function TicketScreen({ id }: { id: string }) {
  const query = useQuery(ticketQuery(id))
  if (query.error instanceof HttpError && query.error.status === 404) return <NotFound />
  const ticket = query.data
  return (
    <Page
      title={ticket ? `${texts.ticket} ${ticket.reference}` : texts.ticket}
      lead={ticket ? texts.subjects[ticket.subject] : undefined}
      status={ticket ? <StatusBadge look={ticketLooks[ticket.status]} /> : null}
      actions={
        <Link to="/support" className={buttonVariants({ variant: 'outline' })}>
          <ArrowLeft aria-hidden />
          {texts.mine}
        </Link>
      }
    >
      {ticket ? <Loaded ticket={ticket} /> : null}
      {!ticket && query.error ? (
        <Failed title={texts.fetchFailed} error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {query.isPending ? <LoadingRows rows={2} /> : null}
    </Page>
  )
}

function Loaded({ ticket }: { ticket: TicketDetail }) {
  return (
    <div className="space-y-6">
      <About ticket={ticket} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]">
        <Card>
          <Conversation messages={ticket.conversation} mine="customer" />
        </Card>
        <Card>
          <Answer ticket={ticket} />
        </Card>
      </div>
    </div>
  )
}

function About({ ticket }: { ticket: TicketDetail }) {
  const { about } = ticket
  if (!about) return null
  const look = 'rounded-sm font-medium underline underline-offset-4'
  return (
    <p className="text-sm">
      {texts.about[about.kind]}:{' '}
      {about.kind === 'order' ? (
        <Link to="/orders/$id" params={{ id: about.id }} className={look}>
          {about.reference}
        </Link>
      ) : (
        <Link to="/gift-cards/$id" params={{ id: about.id }} className={look}>
          {about.reference}
        </Link>
      )}
    </p>
  )
}

function Answer({ ticket }: { ticket: TicketDetail }) {
  const client = useQueryClient()
  const message = useMessage(`reply:${ticket.id}`)
  const options = {
    onSuccess: (data: TicketDetail) => {
      client.setQueryData(ticketQuery(ticket.id).queryKey, data)
      void client.invalidateQueries({ queryKey: ['tickets'] })
    },
    onError: (error: Error) =>
      toast({
        title: texts.failed,
        description: messageOf(error, '') || undefined,
        variant: 'destructive' as const,
      }),
  }
  const writing = useMutation({
    mutationFn: () => write(ticket.id, message.text, message.key()),
    ...options,
    onSuccess: (data: TicketDetail) => {
      options.onSuccess(data)
      message.draft.clear()
    },
  })
  const closing = useMutation({ mutationFn: () => close(ticket.id), ...options })
  const busy = writing.isPending || closing.isPending
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy && message.text.trim()) writing.mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <p role="status" className="text-sm text-muted-foreground">
        {ticket.status === 'closed' ? (
          texts.closedText
        ) : ticket.closesAt ? (
          <>
            {texts.closesAt} <Time at={ticket.closesAt} />
          </>
        ) : (
          texts.waitingForUs
        )}
      </p>
      <Restored draft={message.draft} />
      <Field id="reply" label={texts.reply} hint={texts.messageHint}>
        {(field) => (
          <LimitedText
            {...field}
            limit={5000}
            value={message.text}
            onChange={(event) => message.write(event.target.value)}
          />
        )}
      </Field>
      <SendError error={writing.error ?? closing.error} fallback={texts.failed} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={busy || !message.text.trim()}>
          {writing.isPending ? texts.submitting : texts.send}
        </Button>
        {ticket.status === 'closed' ? null : (
          <Button variant="outline" disabled={busy} onClick={() => closing.mutate()}>
            {texts.close}
          </Button>
        )}
      </div>
    </form>
  )
}
