import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminTicketDetail } from '@/api/types.gen'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { inbox as texts } from '@/messages/admin-inbox'
import { adminTicketQuery } from './queries'

interface Act {
  done: string
  run: () => Promise<AdminTicketDetail>
  after?: (() => void) | undefined
}

/**
 * An act on a ticket. After a refusal, tickets are read again: another admin was first, and the server says
 * who.
 */
export function useTicketAct() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (act: Act) => act.run(),
    onSuccess: (ticket, act) => {
      client.setQueryData(adminTicketQuery(ticket.id).queryKey, ticket)
      toast({ title: act.done })
      act.after?.()
    },
    onError: (error) => {
      toast({
        title: texts.failed,
        description: messageOf(error, texts.failed),
        variant: 'destructive',
      })
      void client.invalidateQueries({ queryKey: ['admin-ticket'] })
    },
    onSettled: () => {
      for (const key of ['admin-tickets', 'admin-queues']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
}
