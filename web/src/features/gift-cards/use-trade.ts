import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { GiftCardCatalogue } from '@/api/types.gen'
import { useAtRisk, useDraft } from '@/lib/draft'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { giftCards as texts } from '@/messages/gift-cards'
import {
  type CardField,
  type CardForm,
  emptyForm,
  isTooMuch,
  malformed,
  missing,
  missingText,
  payout,
  secrets,
  tooLong,
} from './form'
import { sell } from './queries'

type Mistakes = Partial<Record<CardField | 'images', string>>

export type Trade = ReturnType<typeof useTrade>

/**
 * One card being sold. The Idempotency-Key belongs to the intent: what is entered keeps it across retries, and any
 * change begins another.
 */
export function useTrade(catalogue: GiftCardCatalogue) {
  const client = useQueryClient()
  const draft = useDraft({ form: 'gift-card', empty: emptyForm, withheld: secrets })
  const { values: form, setValues: setForm } = draft
  const [images, setImages] = useState<readonly File[]>([])
  useAtRisk(images.length > 0)
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const key = useRef(idempotencyKey())
  const tooMuch = isTooMuch(form.value, catalogue.maxValue)
  const pays = tooMuch ? undefined : payout(form.value, catalogue.exchangeRate, catalogue.flatFee)

  const change = (part: Partial<CardForm>) => {
    key.current = idempotencyKey()
    sending.reset()
    setForm((before) => ({ ...before, ...part }))
    setMistakes({})
  }
  const sending = useMutation({
    mutationFn: () => sell(form, images, pays ?? '', key.current),
    onSuccess: (card) => {
      toast({ title: texts.submitted, action: { label: texts.mine, href: `/gift-cards/${card.id}` } })
      change(emptyForm)
      draft.clear()
      setImages([])
      for (const queryKey of [['transactions'], ['gift-cards']]) void client.invalidateQueries({ queryKey })
    },
    onError: (error) => {
      const fields = error instanceof HttpError ? error.fields : []
      setMistakes(
        Object.fromEntries(fields.map(({ field, message }) => [field.replace(/\[\d+]$/, ''), message])),
      )
      toast({ title: texts.failed, description: messageOf(error, '') || undefined, variant: 'destructive' })
    },
  })
  return {
    form,
    images,
    mistakes: { ...mistakes, ...tooLong(form) },
    payout: pays,
    tooMuch,
    pending: sending.isPending,
    error: sending.error,
    draft,
    change,
    /** What was entered for another type of card is not kept: it would be hidden, and of no use. */
    choose: (brand: string) => {
      const cardType = catalogue.brands.find((entry) => entry.value === brand)?.type ?? 'regular'
      change(cardType === form.cardType ? { brand } : { ...emptyForm, value: form.value, brand, cardType })
    },
    attach: (files: readonly File[]) => {
      key.current = idempotencyKey()
      setImages(files)
      setMistakes({})
    },
    refuseImages: (text: string) => setMistakes({ images: text }),
    submit: () => {
      if (sending.isPending) return
      const absent = missing(form)
      if (absent.length > 0) {
        setMistakes(Object.fromEntries(absent.map((field) => [field, texts.missing])))
        toast({ title: texts.failed, description: missingText(absent), variant: 'destructive' })
        document.getElementById(`gift-card-${absent[0]}`)?.focus()
        return
      }
      const wrong = malformed(form)
      const [first] = Object.keys(wrong)
      if (first) {
        setMistakes(wrong)
        document.getElementById(`gift-card-${first}`)?.focus()
        return
      }
      sending.mutate()
    },
  }
}
