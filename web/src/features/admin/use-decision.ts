import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Outcome } from '@/api/types.gen'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { adminPayments } from '@/messages/admin'

interface DecisionTexts {
  done: string
  doneText?: string
  failed: string
  failedText: string
}

/**
 * One decision by a person: its toast, and fresh lists after it. An answer "still working" (202) gets a neutral
 * toast; the row stays locked until the lists say how it ended. A refusal (409) shows the server's reason.
 */
export function useDecision<I>(
  decide: (input: I) => Promise<Outcome>,
  texts: DecisionTexts,
  onDone: () => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: decide,
    onSuccess: (outcome) => {
      if (outcome.state === 'working')
        toast({ title: adminPayments.underWay, description: adminPayments.underWayText })
      else if (outcome.state === 'proposed')
        toast({ title: adminPayments.proposed, description: outcome.message })
      else toast({ title: texts.done, ...(texts.doneText ? { description: texts.doneText } : {}) })
      onDone()
    },
    onError: (error) =>
      toast({ title: texts.failed, description: messageOf(error, texts.failedText), variant: 'destructive' }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['admin-payments'] })
      void client.invalidateQueries({ queryKey: ['admin-orders'] })
      void client.invalidateQueries({ queryKey: ['admin-order'] })
    },
  })
}
