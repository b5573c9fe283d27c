import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StepUpCancelled } from '@/features/two-factor/step-up'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { onToNextRow } from './queue-focus'

interface Said {
  title: string
  description?: string
}

export interface ActTerms<R> {
  /** What the toast says when it is done. */
  said: (result: R) => Said
  failed: string
  failedText: string
  /** A refusal is a toast too, beside what the dialog says. */
  toastsRefusal?: boolean
  /** The queries to invalidate after it, done or refused. */
  changes: readonly QueryKey[]
  onDone: (result: R) => void
}

/** An act by an admin, as its dialog sees it. */
export interface Act {
  mutate: (reason: string) => void
  isPending: boolean
  error: Error | null
  /** The reason of the refusal as text. */
  refusal: { title: string; text: string } | undefined
  /** Requests a code of the second factor, where the act needs one. */
  dialog?: ReactNode
}

/** One act by an admin, with its reason: its toast, and fresh lists after it. */
export function useAct<R>(act: (reason: string) => Promise<R>, terms: ActTerms<R>): Act {
  const client = useQueryClient()
  const refusalOf = (error: Error) => ({ title: terms.failed, text: messageOf(error, terms.failedText) })
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    onSuccess: (result) => {
      toast(terms.said(result))
      onToNextRow()
      terms.onDone(result)
    },
    onError: (refused) => {
      if (refused instanceof StepUpCancelled) return
      const { title, text } = refusalOf(refused)
      if (terms.toastsRefusal) toast({ title, description: text, variant: 'destructive' })
    },
    onSettled: () => {
      for (const queryKey of [...terms.changes, ['admin-queues']]) void client.invalidateQueries({ queryKey })
    },
  })
  // An admin who dismissed the prompt for the code expects that nothing was done.
  const refused = error && !(error instanceof StepUpCancelled)
  return { mutate, isPending, error, refusal: refused ? refusalOf(error) : undefined }
}
