import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OrderDetail } from '@/api/types.gen'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { choiceTexts as texts } from '@/messages/situations'
import { type ChoiceKind, choose } from './choices'

/** Sends a choice, confirms it in a toast, and reads the order again. */
export function useChoice(order: OrderDetail, kind: ChoiceKind, onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (quoteId?: string) => choose(order, kind, quoteId),
    onSuccess: () => {
      toast({ title: texts[kind].done, description: texts[kind].doneText })
      onDone()
    },
    onError: (error) =>
      toast({
        title: texts.failed,
        description: messageOf(error, texts.failedText),
        variant: 'destructive',
      }),
    onSettled: () => {
      for (const key of ['order', 'orders', 'user', 'balance'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
}
