import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminTicket, AdminTicketDetail } from '@/api/types.gen'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { inbox as texts } from '@/messages/admin-inbox'
import type { DecisionButton } from '../shared/decision-buttons'
import { DecisionDialog } from '../shared/decision-dialog'
import { type Shortcut, useKeys } from '../shared/keys'
import { onToNextRow } from '../shared/queue-focus'
import { answerersQuery, ticketActions } from './queries'
import type { ComposerMode } from './ticket-composer'
import { useTicketAct } from './use-ticket-act'

type Opened = 'assign' | 'close'

export type TicketAction = Opened | 'take' | 'reply' | 'reopen'

/** The possible acts on a ticket in the list; A assigns it to the admin, R opens it to be answered. */
export const ticketButtons: readonly DecisionButton<TicketAction>[] = [
  { action: 'take', label: texts.take, weight: 'first', shortcut: 'a' },
  { action: 'reply', label: texts.reply, weight: 'first', shortcut: 'r' },
  { action: 'assign', label: texts.assign, shortcut: 'g' },
  { action: 'close', label: texts.close, shortcut: 'c' },
  { action: 'reopen', label: texts.reopen },
]

interface TicketKeys {
  hints: readonly Pick<Shortcut, 'key' | 'label'>[]
  act: ReturnType<typeof useTicketAct>
  assignToMe: (() => void) | undefined
  opened: Opened | undefined
  open: (dialog: Opened | undefined) => void
}

/** What single keys do with a ticket: each is also a button. */
export function useTicketKeys(ticket: AdminTicketDetail, write: (mode: ComposerMode) => void): TicketKeys {
  const [opened, open] = useState<Opened>()
  const act = useTicketAct()
  const may = (action: string) => ticket.actions.includes(action)
  const { assignee } = ticket
  const answerers = useQuery({ ...answerersQuery, enabled: may('assign') })
  const me = answerers.data?.find((one) => one.me)?.id
  let assignToMe: (() => void) | undefined
  if (may('take'))
    assignToMe = () => act.mutate({ done: texts.assigned, run: () => ticketActions.take(ticket.id) })
  else if (may('assign') && assignee && !assignee.mine && me)
    assignToMe = () =>
      act.mutate({ done: texts.assigned, run: () => ticketActions.assign(ticket.id, me, assignee.id) })
  const all: (Shortcut & { shown: boolean })[] = [
    { key: 'r', label: texts.reply, run: () => write('reply'), shown: may('reply') },
    { key: 'n', label: texts.note, run: () => write('note'), shown: ticket.mayNote },
    {
      key: 'a',
      label: texts.take,
      run: act.isPending ? undefined : assignToMe,
      shown: Boolean(assignToMe),
    },
    { key: 'g', label: texts.assign, run: () => open('assign'), shown: may('assign') },
    { key: 'c', label: texts.close, run: () => open('close'), shown: may('close') },
  ]
  const hints = all.filter(({ shown }) => shown)
  useKeys(hints)
  return { hints, act, assignToMe, opened, open }
}

interface TicketButtonsProps {
  ticket: AdminTicketDetail
  keys: TicketKeys
  onClosed: (() => void) | undefined
}

/** Who has the ticket, and whether it is over. */
export function TicketButtons({ ticket, keys, onClosed }: TicketButtonsProps) {
  const { act, assignToMe, opened, open } = keys
  const may = (action: string) => ticket.actions.includes(action)
  return (
    <div className="flex flex-wrap gap-2">
      {assignToMe ? (
        <Button size="sm" aria-keyshortcuts="a" disabled={act.isPending} onClick={assignToMe}>
          {texts.take}
        </Button>
      ) : null}
      {may('assign') ? (
        <Button size="sm" variant="outline" aria-keyshortcuts="g" onClick={() => open('assign')}>
          {texts.assign}
        </Button>
      ) : null}
      {may('close') ? (
        <Button size="sm" variant="outline" aria-keyshortcuts="c" onClick={() => open('close')}>
          {texts.close}
        </Button>
      ) : null}
      {may('reopen') ? (
        <Button
          size="sm"
          variant="outline"
          disabled={act.isPending}
          onClick={() => act.mutate({ done: texts.done, run: () => ticketActions.reopen(ticket.id) })}
        >
          {texts.reopen}
        </Button>
      ) : null}
      {opened ? (
        <TicketDialog
          ticket={ticket}
          dialog={opened}
          act={act}
          onClose={() => open(undefined)}
          onClosed={onClosed}
        />
      ) : null}
    </div>
  )
}

interface TicketDialogProps extends AssignDialogProps {
  dialog: Opened
  onClosed?: (() => void) | undefined
}

/** The dialog in which a ticket is assigned, or closed. */
export function TicketDialog({ ticket, dialog, act, onClose, onClosed }: TicketDialogProps) {
  if (dialog === 'assign') return <AssignDialog ticket={ticket} act={act} onClose={onClose} />
  return (
    <DecisionDialog
      title={texts.closeTitle}
      text={texts.closeText(ticket.reference)}
      confirm={texts.close}
      reason={{ label: texts.closeReason, placeholder: texts.closePlaceholder }}
      decision={{
        ...toldByToast(act),
        mutate: (reason) =>
          act.mutate({
            done: texts.closed,
            run: () => ticketActions.close(ticket.id, reason),
            after: () => {
              onToNextRow()
              onClose()
              onClosed?.()
            },
          }),
      }}
      onClose={onClose}
    />
  )
}

/** A ticket's dialogs leave a refusal to its toast. */
function toldByToast({ isPending }: ReturnType<typeof useTicketAct>) {
  return { isPending, refusal: undefined }
}

interface AssignDialogProps {
  ticket: AdminTicket
  act: ReturnType<typeof useTicketAct>
  onClose: () => void
}

/** Assigns the ticket to an agent, or to none. */
function AssignDialog({ ticket, act, onClose }: AssignDialogProps) {
  const answerers = useQuery(answerersQuery)
  const from = ticket.assignee?.id ?? ''
  const [to, setTo] = useState(from)
  const others = (answerers.data ?? []).filter(({ id }) => id !== ticket.userId)
  return (
    <DecisionDialog
      title={texts.assignTitle}
      text={texts.assignText(ticket.reference)}
      confirm={texts.assignConfirm}
      incomplete={to === from}
      decision={{
        ...toldByToast(act),
        mutate: () =>
          act.mutate(
            { done: texts.assigned, run: () => ticketActions.assign(ticket.id, to, from) },
            { onSettled: onClose },
          ),
      }}
      onClose={onClose}
    >
      <Field id="assign-to" label={texts.assignTo}>
        {(field) => (
          <Select {...field} value={to} onChange={(event) => setTo(event.target.value)}>
            <option value="">{texts.nobody}</option>
            {others.map(({ id, name, me, tickets }) => (
              <option key={id} value={id}>
                {texts.assignee_(me ? texts.you(name) : name, tickets)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </DecisionDialog>
  )
}
