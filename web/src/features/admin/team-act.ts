import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { adminTeam as texts } from '@/messages/admin-team'
import { teamKey } from './team-queries'

interface TeamAct<I> {
  mutate: (input: I) => void
  isPending: boolean
  refusal: { title: string; text: string } | undefined
  /** Asks for a code of whoever has a second factor; the caller renders it. */
  dialog: ReactNode
}

/** One act about the team: its toast, and the team read anew after it. */
export function useTeamAct<I>(
  act: (input: I, code?: string) => Promise<{ title: string; description?: string }>,
  onDone: () => void,
): TeamAct<I> {
  const client = useQueryClient()
  const { run, dialog } = useStepUp()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (input: I) => run((code) => act(input, code)),
    onSuccess: (said) => {
      toast(said)
      onDone()
    },
    onSettled: () => void client.invalidateQueries({ queryKey: teamKey }),
  })
  const refusal =
    error && !(error instanceof StepUpCancelled)
      ? { title: texts.failed, text: messageOf(error, texts.failedText) }
      : undefined
  return { mutate, isPending, refusal, dialog }
}
