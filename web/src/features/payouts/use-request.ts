import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { StepUpCancelled, useStepUp } from '@/features/two-factor/step-up'
import { useDraft } from '@/lib/draft'
import { usd } from '@/lib/format'
import { HttpError, idempotencyKey } from '@/lib/http'
import { useSignedInUser } from '@/lib/session'
import { toast } from '@/lib/toast'
import { payouts as texts } from '@/messages/payouts'
import { accountNumbers, emptyForm, type Mistakes, mistakesIn, type PayoutForm, wanted } from './form'
import { request } from './queries'

export type Request = ReturnType<typeof useRequest>

/**
 * One payout request: filled in, reviewed, sent. The Idempotency-Key belongs to the intent: the same input
 * keeps it across retries, and any change begins another.
 */
export function useRequest(available: string, least: string) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { firstName, lastName } = useSignedInUser()
  const { run, dialog } = useStepUp()
  const draft = useDraft<PayoutForm>({
    form: 'payout',
    empty: { ...emptyForm, accountHolder: [firstName, lastName].filter(Boolean).join(' ') },
    withheld: accountNumbers,
  })
  const { values: form, setValues: setForm } = draft
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const [reviewing, setReviewing] = useState(false)
  const key = useRef(idempotencyKey())

  const sending = useMutation({
    mutationFn: () => run((code) => request(wanted(form), key.current, code)),
    onSuccess: (payout) => {
      for (const queryKey of [['payouts'], ['balance'], ['user']]) void client.invalidateQueries({ queryKey })
      toast({
        title: texts.asked(usd(payout.amount)),
        description: payout.status === 'unconfirmed' ? texts.toConfirm : texts.askedText,
      })
      draft.forget()
      void navigate({ to: '/payouts/$id', params: { id: payout.id } })
    },
    onError: (error) => {
      const refused = refusedFields(error)
      setMistakes(refused)
      if (Object.keys(refused).length > 0) setReviewing(false)
    },
  })
  return {
    form,
    mistakes,
    reviewing,
    pending: sending.isPending,
    /** What prevents the request beside single fields. */
    error: sending.error instanceof StepUpCancelled ? null : sending.error,
    codeDialog: dialog,
    draft,
    change: (part: Partial<PayoutForm>) => {
      key.current = idempotencyKey()
      setForm((before) => ({ ...before, ...part }))
      setMistakes((before) =>
        Object.fromEntries(Object.entries(before).filter(([field]) => !(field in part))),
      )
    },
    /** Every mistake at once; the first one gets the focus. */
    review: () => {
      const found = mistakesIn(form, available, least)
      setMistakes(found)
      sending.reset()
      setReviewing(Object.keys(found).length === 0)
      return found
    },
    goBack: () => setReviewing(false),
    send: () => sending.mutate(),
  }
}

function refusedFields(error: Error): Mistakes {
  if (!(error instanceof HttpError)) return {}
  const said = error.body?.field ? [{ field: error.body.field, message: error.userMessage ?? '' }] : []
  return Object.fromEntries(
    [...error.fields, ...said]
      .filter(({ field }) => field in emptyForm)
      .map(({ field, message }) => [field, message]),
  )
}
